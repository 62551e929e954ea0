/* Databases, data work, machine learning, files. */
export const data = `
database table schema sql
sql query statement
query select statement question
table relation
row record entry tuple
column field attribute
record entry row document
key identifier
index lookup
index scan sequential_scan > index plan
slow_query query_is_slow > index explain plan query
query_plan execution_plan > explain plan
explain plan optimizer
transaction commit atomic
isolation serializable snapshot read_committed
dirty_read phantom > isolation
lock locking blocked
overwrite clobber lost_update > locking optimistic conflict concurrency
overwrite each_other_s_changes > optimistic conflict
conflict clash collision
optimistic version
pessimistic lock
constraint unique foreign_key check
unique distinct duplicate
duplicate dedupe deduplicate twice
upsert insert_or_update merge
orphan dangling
join combine lookup
join merge
normalise normal_form denormalise
schema structure model shape
schema_change alter_table add_column change_a_column > migration schema expand
migration migrate schema
migrate upgrade convert
backfill fill populate
zero_downtime without_downtime no_downtime > online migration rolling
online live without_stopping
replica replication standby secondary
replica copy follower
leader primary master
failover switchover promote
election leader consensus
consensus quorum raft paxos
shard sharding partition
partition split range
backup dump snapshot archive
snapshot backup copy
restore recovery backup
point_in_time recovery
archive retention cold_storage
retention expire purge
delete_old_data clean_up_old_data old_rows > retention partition archive purge
soft_delete deleted_at tombstone
trash recycle_bin > delete restore soft
audit history trail
history version audit log
versioned temporal history
event_sourcing event history
stream streaming flow
stream kafka event
late out_of_order > watermark window
window aggregate
aggregate sum group rollup
report summary analytics
materialised view precomputed
view materialised
analytics warehouse reporting olap
warehouse lake analytics
columnar parquet column
csv spreadsheet excel
spreadsheet excel table
import load ingest
export dump extract
ingest load import
pipeline workflow dag etl
pipeline flow process
orchestrate workflow scheduler
data_quality bad_data dirty_data wrong_data > validation quality clean
quality validation check
missing_values null nan > missing null impute
null nil none empty
lineage provenance origin
catalog metadata
metadata header attribute
serialise serialize marshal encode
deserialise parse decode unmarshal
parse parser read
format layout structure
schema_registry avro protobuf > schema
protobuf grpc avro
json document
json xml yaml
cache cached caching memoise
cache redis memcached
memoise remember cache
cache_is_stale stale_cache old_data outdated_data > invalidation stale cache consistency
invalidate evict expire refresh
evict eviction lru
refresh reload renew
hit miss
eventual consistency stale
consistency stale replica
connection pool
pool reuse
pooling connections
too_many_connections > pool connection limit
n_plus_one query_per_row > eager loading batch
lazy deferred
eager preload
orm entity mapper
tree hierarchy nested parent
hierarchy descendants ancestors nested
graph node edge network
geo geographic spatial location gis
location map coordinates latitude
distance near nearest radius
full_text search
search relevance ranking
ranking relevance score
fuzzy similar typo approximate
similar resemble alike > similarity fuzzy
vector embedding
embedding semantic vector
semantic meaning
pagination page cursor offset
next_page page_through deep_page > pagination cursor keyset
cursor keyset
sort order rank
leaderboard ranking top
counter count increment
time_series timeseries metrics
time_series history_of_values > timeseries
queue job worker
model prediction classifier
predict forecast prediction
forecast predict trend seasonal
train training fit learn
overfit memorise generalise
works_in_training good_on_training > overfitting leakage validation
validation holdout test
cross_validation fold split
feature variable predictor
label annotation target
annotate label tag
classify classification category
imbalance skewed rare
accuracy precision recall
hyperparameter tuning search
drift shift change
inference predict serving
serving inference deploy
experiment ab_test trial
experiment hypothesis
ab_test split_test variant experiment
significant significance statistical
sample_size enough_data > sample power significance
statistics statistical
bias unfair fairness
explainable interpretable
notebook jupyter
reproducible seed deterministic
dataset corpus data
dataframe pandas
out_of_core chunk
spark hadoop cluster
shuffle skew
prompt instruction
hallucinate made_up invent > hallucination grounding
hallucination grounding factual
chatbot assistant agent
agent assistant tool
token context_window > token context budget
context window
chunk split passage
retrieval search embedding
evaluate evaluation judge score
anonymise pseudonym mask redact
privacy personal gdpr consent
personal_data private_data > privacy gdpr pii
sensitive confidential private
file document
file path
folder directory
path filename
symlink link shortcut
watch observe monitor
file_changes changed_files > watch
half_written cut_off truncated > atomic rename fsync write
truncate cut shorten
truncate empty zero
temporary tempfile scratch
fsync durable flush
durable persistent survive
encoding charset unicode utf8
strange_characters weird_characters question_marks > encoding unicode charset
newline line_ending crlf
binary executable
compress compression gzip zip
compress shrink smaller
archive zip tar
checksum hash digest integrity
hash hashing digest
hash_map dictionary lookup
spelling typo
regex pattern match
pattern match
money currency decimal
`;

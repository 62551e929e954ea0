/* Words of the trade that are near to each other, over all of its fields. */
export const trade = `
auth authentication authenticate login signin identity
authorization permission access rights privilege allow
k8s kubernetes cluster
config configuration settings preferences options
env environment variables
docs documentation manual guide instructions
js javascript script
perf performance speed fast slow latency sluggish lag delay quick
stutter jank smooth sluggish
crash die killed failure abort
error failure exception fault problem throw
delete remove erase drop purge forget
undo revert rollback restore back
function method procedure
cost price bill expensive spending money expense cheap
reduce cut shrink fewer lower save
increase grow rise raise more
huge large big gigantic massive heavy
hacked breach intruder attacker attack malicious compromise
vulnerable vulnerability flaw advisory
certificate tls ssl https
browser page web site website
mobile phone device app
app application program
user customer client visitor person
employee colleague teammate member worker staff
team group colleagues members
manager boss lead management
meeting talk conversation discussion
hire hiring recruit interview applicant candidate
outage downtime down incident unavailable
broken break fails failure
stale outdated old obsolete
obsolete deprecated old legacy
deploy deployment release rollout ship publish
release publish ship
queue broker messaging
message event notification
job task batch worker
schedule scheduled cron nightly periodic
wait block hang stall stuck
hang freeze stuck block
freeze hang pause stall
kill end terminate stop signal
retry repeat again attempt
limit bound cap quota restrict throttle
space room disk
cpu processor core
network connection socket
dead gone silent
disconnect reconnect connection
stream pipe flow
logs logging trace
alert alarm pager notify
notice detect discover learn
detect find discover recognise spot
metric measure number
measure benchmark metric
report answer summary
test check verify testing
verify check validate prove
automate automation automatic automated
input data
format layout schema structure
attribute property field
field column input
lock locking mutex
replica replication copy
migrate migration move
move transfer switch
rename change
hierarchy tree descendants
deadline due date
date time calendar
timezone zone
price amount money
round rounding precision decimal
decimal fraction rounding float
style css design
css style stylesheet
ui interface screen
typing keystroke type
keyboard keys
drag move
theme colour color
translate translation locale language
internet network online signal
online internet
immediately instant instantly once
endpoint route url
version revision
breaking break compatible incompatible
upload send
fetch download get
payment charge pay billing
buy purchase checkout order sell
store shop save keep
location place position geo
untrusted foreign malicious unknown
isolated isolation separate
repository history
review feedback comment
document record describe
decision choice choose
estimate estimation guess
plan planning roadmap
priority urgent important
important priority
remote distributed apart
mess messy debt
cleanup clean tidy refactor
refactor refactoring restructure
behaviour behavior conduct
model prediction learning
traffic load requests
ml machine learning model
ai llm model
llm prompt model
csv spreadsheet table
pipeline workflow process
rare seldom unusual
anonymous anonymise privacy identity
variant version design
children descendants family
service server
truncate empty cut
regex expression
number numeric
collaborative collaboration together
environment setup
sign signature signing
embed frame
iframe frame
header headers
submit send post
`;

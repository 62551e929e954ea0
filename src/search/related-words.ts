/*
 * Abbreviations and near synonyms of the trade, in both directions: what people
 * ask for is often there under another word. The groups are general vocabulary
 * of engineering work and know nothing of any collection. A related word counts
 * less than half, so a document that has the word itself stays ahead. `npm run eval` is
 * the judge of changes here.
 */
import { stem } from './stem.ts';

const table = `
auth authentication authenticate login signin identity
authorization permission access rights privilege allow
db database
k8s kubernetes cluster
repo repository
config configuration settings preferences options
env environment variables
docs documentation manual guide instructions
ts typescript
js javascript script
py python
postgres postgresql
mongo mongodb
perf performance speed fast slow latency sluggish lag delay quick
stutter jank smooth sluggish
crash die killed failure abort
bug defect flaw mistake
error failure exception fault problem throw
delete remove erase drop purge forget
undo revert rollback restore back
picture image photo
password credential secret
key token credential secret
url link address
folder directory
file document
function method procedure
cost price bill expensive spending money expense cheap
reduce cut shrink fewer lower save
increase grow rise raise more
huge large big gigantic massive heavy
small tiny little short
hacked breach intruder attacker attack malicious compromise
hacker attacker intruder
vulnerable vulnerability flaw advisory
encrypt encryption cipher
certificate tls ssl https
browser page web site website
website site web
mobile phone device app
phone device mobile
app application program
user customer client visitor person
customer client user
employee colleague teammate member worker staff
team group colleagues members
manager boss lead management
meeting talk conversation discussion
hire hiring recruit interview applicant candidate
outage downtime down incident unavailable
downtime outage interruption
broken break fails failure
stale outdated old obsolete
obsolete deprecated old legacy
deploy deployment release rollout ship publish
release publish ship
server host machine instance
hosting provider cloud
container docker image
queue broker messaging
message event notification
job task batch worker
schedule scheduled cron nightly periodic
wait block hang stall stuck
hang freeze stuck block
freeze hang pause stall
kill end terminate stop signal
start boot launch begin
restart reboot relaunch
retry repeat again attempt
duplicate twice repeat
limit bound cap quota restrict throttle
throttle limit rate
memory heap ram
leak grow
disk storage space
space room disk
cpu processor core
thread concurrency parallel simultaneous
simultaneous concurrent parallel
network connection socket
connection socket link
dead gone silent
disconnect reconnect connection
stream pipe flow
chunk piece part
log logs logging
logs logging trace
monitor monitoring watch observe
alert alarm pager notify
notice detect discover learn
detect find discover recognise spot
graph chart plot
chart graph visualisation
dashboard panel
metric measure number
measure benchmark metric
report answer summary
test check verify testing
verify check validate prove
validate validation check
mock fake stub
automate automation automatic automated
random arbitrary
garbage rubbish junk nonsense
input data
format layout schema structure
schema model structure
table relation
row record entry
column field attribute
attribute property field
field column input
query statement question select
statement query sql
transaction commit
lock locking mutex
replica replication copy
backup dump snapshot
migrate migration move
move transfer switch
rename change
merge join combine
split divide cut
tree hierarchy
hierarchy tree descendants
search find lookup
sort order rank
leaderboard ranking
list collection
page pagination
cache cached caching
expire expiry ttl
timeout deadline
deadline due date
date time calendar
timezone zone
clock time
currency money amount
price amount money
round rounding precision decimal
decimal fraction rounding float
style css design
css style stylesheet
ui interface screen
screen page display
display show render
render draw paint
component widget element
widget component
popup modal dialog
button control
form input
typing keystroke type
keyboard keys
click press tap
drag move
scroll list
animation transition
dark theme
theme colour color
color colour
icon svg
language locale translation
translate translation locale language
accessible accessibility a11y
layout grid
responsive adaptive
offline disconnected
internet network online signal
online internet
realtime live
immediately instant instantly once
instant immediate
api endpoint interface
endpoint route url
request call
response answer reply
reply answer response
status code
version revision
breaking break compatible incompatible
compatibility compatible
upload send
download fetch
fetch download get
payment charge pay billing
buy purchase checkout order sell
purchase buy order
shop store
store shop save keep
location place position geo
map geo
untrusted foreign malicious unknown
sandbox isolate isolation
isolated isolation separate
secret vault
repository history
commit change
branch fork
conflict clash
review feedback comment
feedback review
document record describe
decision choice choose
estimate estimation guess
plan planning roadmap
priority urgent important
important priority
remote distributed apart
distributed remote
mess messy debt
cleanup clean tidy refactor
refactor refactoring restructure
licence license licensing
behaviour behavior conduct
notes minutes
model prediction learning
predict forecast prediction
demand load traffic
traffic load requests
train training
ml machine learning model
ai llm model
llm prompt model
answer respond reply
csv spreadsheet table
dataframe pandas
warehouse analytics
pipeline workflow process
fraud abuse
rare seldom unusual
anonymous anonymise privacy identity
privacy personal gdpr
record entry row
experiment trial test
variant version design
statistics statistical
process program
child subprocess
children descendants family
daemon service
service server
script shell bash
shell bash
symlink link
filename path
path file
watch observe monitor
atomic atomically
truncate empty cut
encoding charset unicode
character letter
regex expression
number numeric
hash hashing
leader primary master
primary leader
collaborative collaboration together
compile build
build compile
package library dependency
library package module
dependency library package
install setup
environment setup
binary executable
sign signature signing
embed frame
iframe frame
header headers
cookie session
session cookie
submit send post
hidden invisible hide
hide invisible
`;

/** How many others one word may stand for. */
const RELATED_LIMIT = 12;

let byStem: ReadonlyMap<string, readonly string[]> | undefined;

/** Words that `word` is often used for, in any of its forms. */
export function relatedWords(word: string): readonly string[] {
	byStem ??= readTable();
	return byStem.get(stem(word)) ?? [];
}

/** Every word of a line is related to every other word of it. */
function readTable(): ReadonlyMap<string, readonly string[]> {
	const related = new Map<string, Set<string>>();
	for (const line of table.split('\n')) {
		const words = line.split(' ').filter((word) => word !== '');
		for (const word of words) {
			const others = related.get(stem(word)) ?? new Set();
			for (const other of words) if (stem(other) !== stem(word)) others.add(other);
			related.set(stem(word), others);
		}
	}
	return new Map([...related].map(([word, others]) => [word, [...others].slice(0, RELATED_LIMIT)]));
}

/*
 * Everyday words and what they are called in manuals. `a b > c d` reads: who
 * says a or b may mean c or d, and not the other way round.
 */
export const everyday = `
big large huge gigantic massive enormous bulky
big huge giant heavy bloated fat > size bloat
small tiny little short compact minimal
shrink reduce smaller slim trim cut decrease lower less
grow increase rise expand scale bigger more
too_big too_large too_heavy > size limit split reduce bloat
too_many > limit excess flood cap
fast quick rapid speedy swift
faster speed_up quicker accelerate > optimise performance speed
begin start initiate launch boot kick_off
end finish complete terminate conclude
stop halt end quit terminate cease
pause suspend hold
resume continue carry_on pick_up > restart
wait await block idle
repeat again over_and_over redo > retry loop duplicate
once at_most_once exactly_once > single duplicate idempotent
twice two_times double > duplicate idempotent repeat
copy clone duplicate replicate mirror
same identical equal alike
different distinct differ vary mismatch
change modify alter edit update adjust
replace swap substitute exchange switch
rename relabel name
move migrate transfer relocate port shift
delete remove erase drop purge wipe discard
throw_away get_rid_of > delete remove discard cleanup
clean tidy neat > cleanup refactor
old stale outdated ancient > legacy obsolete deprecated expired
new fresh recent latest
add append insert include
join combine merge unite unify
split divide separate partition break_up cut
collect gather aggregate accumulate
spread distribute scatter share
choose pick select decide
compare contrast versus vs > difference tradeoff
show display present render reveal
hide conceal mask invisible
see view look_at inspect examine > observe
look_for search seek locate find
search lookup query filter
lookup search find
notice detect spot recognise discover identify
warn alert notify inform signal
tell communicate inform say announce
explain describe clarify > documentation
ask request question inquire
answer reply respond response
send deliver transmit dispatch emit publish
receive get accept consume
fetch retrieve download pull load
give grant provide hand_over
take grab acquire obtain
keep retain preserve maintain hold > retention persist
save store persist keep write
remember recall memorise > cache store state session
forget > expire delete erase
lose missing disappear vanish gone > loss lost
lost gone missing > recover recovery restore loss
recover restore bring_back get_back > recovery backup undo
undo revert rollback reverse go_back
fix repair correct solve resolve patch
solve resolve settle
avoid prevent stop protect guard
make_sure ensure guarantee > verify check
check verify validate confirm examine
prove demonstrate confirm
test try experiment trial
trust believe rely > verify trusted
allow permit let enable grant
forbid deny block ban reject refuse disallow
reject refuse decline
force enforce require compel
limit restrict bound cap constrain quota maximum
guess estimate approximate predict
plan schedule prepare
measure quantify gauge count
count number amount quantity total
list enumerate collection
order sequence sort arrange
sort order rank
group cluster bundle category
part piece fragment chunk segment portion
whole entire full complete
empty blank void null
full complete exhausted out_of > exhaustion capacity
run_out ran_out running_out > exhaustion full limit
open unlock
close shut
lock block exclusive
break damage corrupt ruin
safe secure protected
dangerous risky unsafe hazardous > risk
easy simple straightforward
hard difficult complex complicated tricky
confusing unclear ambiguous > clarity readable
clear readable understandable
strange weird odd unusual unexpected
rare seldom uncommon infrequent > imbalance outlier
common frequent usual typical
random arbitrary sporadic
sometimes occasionally now_and_then once_in_a_while > intermittent flaky random sporadic
from_time_to_time every_so_often > intermittent periodic
intermittent sporadic occasional flaky
regularly periodic recurring scheduled
every_day every_night every_hour each_night > daily nightly schedule cron
every_week each_week > weekly schedule
at_night overnight > nightly night oncall
at_once at_the_same_time in_parallel side_by_side > concurrent parallel simultaneous
same_time simultaneous simultaneously > concurrent parallel race
each_other one_another > mutual conflict
step_by_step bit_by_bit piece_by_piece little_by_little gradually > incremental gradual stepwise
gradual incremental progressive
one_by_one one_at_a_time > sequential single batch
all_at_once in_one_go big_bang > batch bulk
in_bulk many_rows > bulk batch
batch bulk
right_away immediately instantly straight_away > instant realtime
immediate instant
later afterwards eventually > async deferred queue background delay
in_the_background behind_the_scenes > background async worker job
delay postpone defer
early soon advance beforehand
in_advance ahead_of_time beforehand > prefetch precompute plan
too_late behind_schedule > late deadline delay
forever endless infinite never_ends never_ending > infinite loop timeout unbounded
takes_forever takes_ages so_long too_long very_long > slow timeout latency performance
half_way halfway partway in_the_middle > partial interrupted atomic
partial incomplete unfinished half
all_or_nothing > atomic transaction
together jointly shared > collaborate
alone isolated separate independent
separate isolate divide > isolation
depend rely > dependency
needed necessary required mandatory
optional voluntary
wrong incorrect false mistaken invalid
right correct valid proper
bad poor terrible awful
better improve enhance > improvement
best ideal optimal
good nice great
important critical crucial vital essential
urgent pressing emergency > priority
main primary chief principal leader
extra additional spare surplus
waste wasteful unnecessary unused
unused idle dead abandoned orphaned
useless pointless meaningless
try attempt
habit practice custom convention
rule policy guideline convention standard
reason cause why
result outcome effect consequence
source origin
goal objective target aim
place location position spot where
near close nearby
far remote distant
inside internal within
outside external foreign
hidden invisible secret
foreign unknown untrusted third_party
other_team other_people someone_else_s > external consumer contract
stranger outsider > anonymous unauthenticated
nobody no_one > orphan owner
owner responsible ownership
who_did what_changed who_changed > audit history log
who_may who_can who_is_allowed > permission authorization role access
happen occur
come_back return reappear > reconnect recover
go_wrong goes_wrong went_wrong > error failure incident
mess chaos messy > debt cleanup refactor
trash garbage rubbish junk nonsense
word term vocabulary
letter character
sentence text phrase
number figure digit
picture image photo
movie video clip
sound audio
voice speech
money cash currency amount
expensive costly pricey > cost price budget
cheap cheaper inexpensive > cost save budget
free gratis
buy purchase order
sell shop store
deal contract agreement
promise guarantee commitment
law legal regulation compliance
company business organisation firm
world country region global
`;

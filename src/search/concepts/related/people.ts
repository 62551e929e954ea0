/* How people work together: teams, meetings, decisions, plans, writing. */
export const people = `
team group
teammate colleague coworker
employee staff worker
manager boss lead
stakeholder client
new_hire new_colleague new_developer first_day first_week joins_the_team > onboarding newcomer
newcomer onboarding
onboarding introduction
mentor coach teach
teach train
learn training
junior beginner newcomer
senior experienced expert
expert specialist
hire recruit interview
interview candidate
candidate applicant
quit leave resign
only_one_person_knows bus_factor > knowledge documentation
knowledge sharing
handover transfer
vacation holiday absence
remote distributed
remote home
timezone distributed
meeting talk call
meeting agenda
too_many_meetings > meeting async
minutes notes
standup daily
retrospective lessons
lessons_learned what_went_wrong > retrospective postmortem
one_on_one talk
feedback criticism
annoying behaviour conflict rude > feedback
disagree argument dispute conflict
disagreement decision
criticise feedback
praise thanks
say_no refuse > priority
conflict resolve
negotiate agree
agree consensus
decide decision
decision choice
why_we_chose why_we_decided > decision record
tradeoff compromise
rationale reason
proposal rfc
proposal design_document
design_document specification
requirement need
requirement specification
scope creep
scope feature
feature functionality
story ticket issue
ticket issue task
task work
backlog todo
backlog priority
todo task
what_first what_to_do_first what_to_work_on > priority
priority importance
roadmap plan
goal objective okr
how_long_will effort > estimate
estimate estimation effort
estimate duration
deadline due
late delay
milestone goal
project initiative
agile scrum kanban
sprint iteration
kanban flow
work_in_progress limit
interruption focus distract
focus concentration
multitask switch
productivity velocity
velocity speed
technical_debt shortcut
debt cleanup legacy
refactor restructure improve
refactor cleanup
rewrite from_scratch start_over > rewrite strangler legacy
rewrite replace
code_review feedback
reviewer review
pair together
pair_programming mob
coding_style convention
convention standard
readable clarity
naming name
comment explain
documentation manual guide
guide howto tutorial
tutorial example
example sample
diagram drawing picture
diagram architecture
readme introduction
nobody_reads outdated_docs > documentation
glossary term
write author
wording text
plain_language simple
audience reader
changelog history
announce communicate
announcement news
status_update progress
status_page incident
runbook instructions
checklist list
checklist steps
instructions steps
procedure process
template form
open_source license
license legal
copyright license
contribute contributor
maintainer owner
code_owner responsible
ownership responsible
support helpdesk
support customer
complaint feedback
escalate urgent
risk danger
burnout stress
stress overload
culture values
trust safety
ethics responsible
hackathon experiment
vendor supplier
build_or_buy make_or_buy > vendor decision
outsource contractor
`;

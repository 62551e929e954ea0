/* How people who do not know the term describe a trouble or a wish, and the terms they are after. */
export const symptoms = `
server_dies machine_dies node_dies > failover replica recovery
falls_over fall_over collapses collapse > overload crash outage capacity
black_friday sale_day rush many_visitors lots_of_users > load traffic scale capacity
eats uses_too_much too_much_memory > memory consumption limit leak
bigger_and_bigger grows_and_grows keeps_growing fills_up > growth leak bloat retention rotation
log_files_grow logs_fill huge_logs > rotation log retention disk
only_on_my_machine only_in_production only_in_prod > environment configuration parity
after_an_update after_upgrading after_the_upgrade since_the_update > regression upgrade compatibility
nobody_noticed found_out_too_late > monitoring alert detection
find_the_cause what_happened what_went_on > debug diagnosis trace log
look_inside peek_inside see_what > inspect debug observe
hard_to_read unreadable cannot_read > readable format clarity naming
hard_to_change afraid_to_touch scared_to_change > legacy refactoring coupling test
copy_paste copied_code same_code_everywhere > duplication refactor reuse
reuse share common > library module component
wire_up hook_up plug_together glue > integrate integration adapter
talk_to_each_other services_talk > communication api message protocol
keep_in_sync stay_in_sync in_step > synchronise replication consistency
two_places two_systems both_systems > dual consistency synchronise outbox
out_of_date not_up_to_date > stale outdated refresh
wrong_numbers numbers_do_not_match totals_differ > reconcile quality validation
made_a_mistake by_mistake accidentally by_accident oops > undo revert recover restore
deleted_by_mistake accidentally_deleted > restore recover undelete backup
someone_else_logged_in account_taken_over hijacked > session hijack account takeover
spy spying snoop listen_in > encryption eavesdrop privacy
fake_request forged pretend impersonate > forgery spoof signature verify
impersonate spoof forge
steal leak exfiltrate
lock_out locked_out > lockout account reset
read_only_access view_only > permission role readonly
rights_management > permission role authorization
run_foreign_code run_untrusted_code user_scripts > sandbox isolation
machine_without_a_password without_passwords > key passkey certificate
prevent_bots automated_requests > bot captcha limit
clean_the_input dangerous_input > validation sanitise escape
safe_to_repeat safe_to_retry run_it_again > idempotent retry
who_calls what_uses who_uses > dependency consumer usage
give_up stop_trying > timeout limit breaker deadline
wait_too_long waits_forever > timeout deadline
answer_later tell_me_when_done when_it_is_done when_finished > async callback webhook notification job
progress_bar how_far > progress status
work_through process_many chew_through > batch queue worker
share_the_work divide_the_work several_workers > parallel distribute partition queue
only_one_at_a_time only_one_instance one_instance > lock mutex exclusive leader singleton
first_come in_order in_the_right_order > order queue sequence fifo
pretend simulate emulate > mock fake simulate
without_the_internet without_network without_a_network > offline mock
fake_data sample_records > fixture seed synthetic
every_combination all_combinations > property pairwise matrix
does_it_still_work still_works > regression test smoke
before_users_do before_customers > monitoring synthetic alert test
quality_gate must_pass > check ci required
slow_pipeline pipeline_takes waiting_for_ci build_takes > cache parallel pipeline
try_it_out play_with > preview sandbox prototype experiment
show_to_the_client before_merging > preview environment review
turn_back turn_it_back get_back_to > rollback revert restore
switch_over cut_over changeover > migration cutover switch
side_effects > idempotent pure
fewer_servers save_money cheaper_hosting > cost sizing autoscaling
pays_for who_pays > cost tagging billing
wakes_up sleeps asleep > idle cold wake
computer laptop pc > machine device environment
new_computer new_laptop fresh_machine > setup bootstrap environment
passwords_in_code keys_in_code hardcoded > secret vault environment
settings_per_environment different_settings > configuration environment
user_types typed_in enters > input form validation
form_filling fill_in fill_out > form input field
jumps jumpy > shift layout
blurry pixelated > image resolution
flickers flickering > flash render
hard_to_see hard_to_read_text cannot_read_the_text > contrast accessibility
mouse_free without_a_mouse only_keyboard > keyboard accessibility focus
other_languages foreign_languages many_languages > translation locale internationalisation
other_countries abroad > locale region timezone
umlaut accents emoji > unicode encoding
phone_size narrow > responsive mobile
old_browsers old_phones > compatibility polyfill
poor_connection slow_network slow_connection bad_network > offline compression latency
back_and_forth many_calls chatty > batch roundtrip latency
ask_the_server keep_checking > polling push
half_of_the_data missing_records rows_missing > loss consistency reconcile
same_record same_person same_customer > duplicate deduplicate match
look_alike almost_the_same nearly_the_same > similar fuzzy duplicate
recommend suggest propose > recommendation
guess_the_future future_values next_month > forecast prediction
learn_from learns_from > training model
unfair prejudice > bias fairness
makes_things_up made_up lies > hallucination grounding
long_text too_long_for > chunk context summary
sum_up shorten summarise > summary
cut_into_pieces cut_up break_into_pieces > chunk split
understand_the_code new_to_the_code > onboarding documentation architecture
tribal in_someone_s_head only_one_knows > knowledge documentation
nobody_knows no_one_knows > documentation ownership knowledge
who_owns who_is_responsible who_takes_care > ownership owner responsible
argue arguing quarrel fight > conflict disagreement feedback
talk_about bring_up > feedback conversation
unhappy upset angry frustrated > feedback complaint conflict
tired overworked exhausted > burnout fatigue
too_much_work overloaded > priority capacity burnout
never_finished never_done takes_longer > estimate scope deadline
how_long how_much_work > estimate estimation duration
how_many how_much > sizing count capacity limit
promise_a_date when_will_it_be_done > estimate deadline
cut_corners quick_and_dirty > debt shortcut
big_change large_change > small incremental split
huge_patch giant_diff > small review split
explain_to_management non_technical > communicate stakeholder
write_down note_down put_in_writing > document record notes
remember_why reason_for > decision record rationale
first_steps get_started getting_started > introduction quickstart onboarding setup
say_sorry apologise > incident communication
tell_customers tell_users let_users_know inform_users > announcement communication status changelog
ask_users ask_customers > interview research survey
legal_trouble lawyer allowed_to_use > license compliance
`;

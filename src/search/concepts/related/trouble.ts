/* What goes wrong, how slow it is, and how one finds out: faults, speed, concurrency, observability. */
export const trouble = `
error failure fault problem exception issue
error exception throw raise
error_message stack_trace stacktrace backtrace > error exception trace
broken fails not_working does_not_work doesnt_work > failure error fault
bug defect flaw mistake fault
typo misspelling spelling
crash die abort exit killed panic
crash dies dead > failure restart killed
kill terminate end signal sigterm sigkill
killed > oom memory limit signal
keeps_restarting restart_loop > crash restart liveness loop
restart reboot relaunch respawn
supervise restart watchdog
outage downtime unavailable incident interruption
goes_down went_down is_down is_offline > outage unavailable down incident failover
incident outage emergency
disaster catastrophe outage > recovery backup
survive withstand tolerate resilient > resilience tolerance failover
resilience fault_tolerance robust reliability
reliable dependable robust
fallback degrade alternative default
fallback graceful degrade
cascade domino chain_reaction > cascading failure breaker
overload overwhelmed swamped flooded > overload shed limit backpressure throttle
overwhelm flood overload spike burst
spike burst surge peak
stampede thundering herd
throttle limit rate slow_down
retry reattempt again attempt
backoff jitter wait
timeout deadline expire
hang freeze stuck stall unresponsive
hang stuck > deadlock block timeout wait
freeze stutter jank choppy > smooth frame render
slow sluggish lag latency delay
slow sluggish > performance latency bottleneck profile
latency delay response_time
performance speed throughput efficiency
throughput bandwidth rate
bottleneck hotspot hot_path
hotspot hot skew
optimise tune improve > performance
tune tweak adjust
profile profiling profiler flamegraph
where_time_goes where_the_time > profile trace
benchmark measure microbenchmark
noisy unstable variance jitter
warm_up warmup cold_start > cold warm startup
cold_start startup boot
memory heap ram
memory_usage memory_grows eats_memory > leak heap memory
leak grows grow unbounded > leak
swap paging
allocation allocate malloc
garbage_collector pause > gc
cpu_usage busy_loop high_load > cpu load profile
load traffic demand usage
capacity sizing headroom > load scale
scale scaling autoscale elastic
scale_up scale_out more_servers > scale autoscaling horizontal
no_space disk_is_full out_of_space out_of_disk > disk full space storage
disk drive volume storage space
space room capacity
too_many_open_files file_descriptor file_handle > descriptor limit ulimit
descriptor handle
limit ulimit quota
concurrency parallel simultaneous thread
thread worker goroutine fiber
parallel concurrent multicore
race race_condition data_race
only_sometimes only_under_load > race flaky intermittent concurrency
deadlock mutual_wait
lock mutex semaphore latch
atomic atomically indivisible
starvation fairness priority_inversion
shared_state mutable > race immutable lock
immutable readonly constant
event_loop blocked blocking > block loop async
async asynchronous nonblocking promise future
callback handler listener hook
promise future await
cancel abort interrupt
cancel cancellation abort stop
queue backlog buffer
buffer queue cache
buffering flush buffer
flush drain empty
backpressure flow_control slow_consumer > backpressure
producer publisher sender writer
consumer subscriber receiver reader
log logs logging record
log logfile journal
print printf console > log debug
monitor monitoring watch observe
observability monitoring telemetry insight
telemetry instrumentation metrics
metric measurement gauge counter
dashboard panel grafana chart
chart graph plot visualisation
alert alarm pager notification
woken wake_up paged at_3_am > pager oncall alert
oncall pager duty rotation
fatigue tired noise exhausted
trace tracing span
follow_a_request across_services > trace tracing correlation distributed
correlation request_id trace_id
debug troubleshoot diagnose investigate
debug debugger breakpoint
diagnose investigate find_out > debug cause
root_cause why_did > cause postmortem analysis
root_cause cause five_whys
reproduce repro replicate_the_bug
postmortem retrospective blameless incident_review
blame fault guilt > blameless
health heartbeat liveness probe
health healthy alive
heartbeat ping keepalive
availability uptime
error_budget reliability
percentile quantile p99 tail
average mean median
tail slowest worst_case > percentile tail
sampling sample
anomaly outlier unusual
threshold limit level
exit_code return_code exit_status > exit status
segfault core_dump segmentation_fault > crash core dump
core_dump dump
corrupt corruption damaged
inconsistent mismatch disagree out_of_sync > consistency drift sync
drift diverge
edge_case corner_case > boundary edge
boundary edge border
unexpected surprise
infinite endless loop
recursion recursive
overflow exceed
precision rounding float
rounding decimal cents
float floating_point > decimal precision rounding
leap daylight dst summer_time > timezone time clock
timezone offset utc
clock time timer
clock_skew wrong_time > clock ntp time
date day calendar
schedule cron timer periodic
cron schedule nightly
nightly daily overnight
expire expiry expiration ttl
`;

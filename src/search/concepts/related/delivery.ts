/* From the editor to production: git, testing, building, shipping, containers, cloud. */
export const delivery = `
git version_control
commit change revision
commit history
branch fork
branch trunk main
long_lived branch > trunk
merge join integrate
merge_conflict > conflict merge resolve
conflict clash
rebase squash history
revert undo reset
undo reset reflog
cherry_pick pick backport
bisect which_commit what_broke when_did_it_break > bisect regression
regression worked_before used_to_work > regression bisect
stash shelve
tag release version
version semver release
semver breaking major
pull_request review merge
pull_request patch change
review feedback approve
diff change difference
submodule subtree
monorepo workspace
large_file lfs binary
blame history author
hook precommit
test check verify
test_suite tests specs
unit integration
unit_test test
integration end_to_end
end_to_end browser automation
browser_automation headless playwright selenium
flaky unstable intermittent random
passes_locally works_on_my_machine fails_in_ci > environment ci reproducible flaky
mock fake stub double
fake stub simulate
fixture test_data sample_data
test_data fixture factory seed
golden snapshot approval
property_based generated random
fuzz fuzzing random
random_input garbage_input > fuzz fuzzing property
coverage untested
mutation mutant
legacy untested characterization
old_code inherited_code > legacy refactoring
assert assertion expect
assertion check
contract consumer provider
load_test stress traffic
stress load soak
smoke sanity
regression again
acceptance criteria
manual_testing exploratory
exploratory manual
chaos failure_injection
inject injection
visual screenshot
screenshot image
accessibility_test screen_reader
testing_in_production canary
parallel_tests speed_up_tests slow_tests > parallel shard test suite
lint linter static_analysis
linter style
static_analysis lint type_check
format formatter prettier
type typing typed
build compile bundle
build_is_slow slow_build > build cache incremental
compile build
artifact binary package
bundle package
reproducible deterministic hermetic
incremental cached
package library module
dependency library package
outdated dependency upgrade
upgrade update bump
update_dependencies bump_versions > dependency update renovate
version_conflict incompatible_versions > dependency conflict lockfile
lockfile pinned version
pin lock fix
vendor third_party
virtualenv venv isolated
install setup
setup bootstrap provision
scaffold template boilerplate
template boilerplate skeleton
pipeline ci workflow
ci pipeline build
runner agent executor
deploy deployment release rollout ship
ship release launch deliver
go_live launch
deploy_friday risky_release > deploy release risk
publish release
roll_back undo_a_release > rollback revert
rollback revert
blue_green switch
canary gradual percentage
few_users small_group some_users percent_of_users > canary gradual rollout flag
feature_flag toggle switch
toggle flag switch
turn_off switch_off kill_switch disable > flag toggle
turn_on switch_on enable > flag toggle
disable off
rolling gradual
zero_downtime rolling graceful
graceful drain shutdown
drain inflight
sigterm shutdown signal
shutdown stop terminate
environment staging production
staging preproduction test_environment
preview ephemeral environment
secret credential vault
config settings parameter
settings preferences options configuration
environment_variable env config
twelve_factor env
container docker image
docker container
image layer
dockerfile image build
multi_stage slim
base_image distroless alpine
registry repository
kubernetes cluster pod
pod container
cluster nodes
helm chart
liveness readiness probe
resource limit request
namespace tenant
operator controller
ingress gateway
sidecar proxy
mesh service
node machine server
server host machine instance
machine vm computer
vm instance virtual
virtual_machine vm
cloud aws azure gcp
cloud provider hosting
region zone
availability_zone region
multi_region failover disaster
disaster_recovery failover backup
serverless lambda function
serverless function
spot preemptible
cost bill spending expense price
cost budget billing
cloud_bill aws_bill monthly_bill > cost spending budget
idle unused waste
tagging tag label
terraform infrastructure provisioning
infrastructure terraform provision
infrastructure_state drift
state lock
provision create
manually by_hand clicking > manual automation automate
automate automation automatic script
automatic automated unattended
gitops declarative
declarative desired_state
reconcile sync
immutable_infrastructure rebuild
ansible configuration
patching update
systemd service daemon unit
daemon background service
boot startup
process program
process task
child subprocess spawn
spawn fork start
zombie defunct reap
orphan parent
signal kill
pipe stdin stdout
stdout output
stdin input
terminal console tty
shell bash script
script shell
command executable
environment_path path
permission_denied not_permitted > permission access owner
permission access right
root sudo superuser
user account
cross_platform windows portable
portable platform
windows linux mac
port listen bind
address_in_use port_in_use already_in_use > port bind listen
socket connection port
`;

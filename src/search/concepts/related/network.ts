/* Services that talk to each other, and keeping others out: networking, APIs, architecture, security. */
export const network = `
network connection internet
network_is_down bad_connection no_internet > offline network retry
connection socket link
disconnect drop lost
disconnect reconnect
reconnect resume
connection_drops connection_lost keeps_disconnecting > reconnect heartbeat keepalive
refused unreachable
firewall port rule
proxy gateway
reverse_proxy nginx gateway
gateway proxy
load_balancer balance distribute
balance spread
dns domain resolve
domain hostname
packet tcp
tcp udp
latency roundtrip
bandwidth traffic
url link address
url route path
redirect forward
forward relay
http request
http_method verb
status code
status_code error_code
404 not_found
500 server_error
header metadata
api endpoint interface
api rest
endpoint route
request call
call invoke
response answer reply
payload body
client consumer
client browser
client_library sdk
rest resource
graphql query
graphql schema
grpc rpc protobuf
rpc call
webhook callback
webhook notification
polling poll
poll check_repeatedly keep_asking > polling
push notify
push server_sent websocket
websocket realtime
realtime live instant
live_updates > websocket realtime push stream
server_sent_events sse stream
subscribe listen
publish broadcast
broadcast fanout
event message
message notification
message queue broker
broker kafka rabbitmq
queue worker
dead_letter poison
poison bad_message failing_message > poison dead letter
duplicate_message delivered_twice processed_twice > idempotent deduplication exactly
exactly_once idempotent
at_least_once delivery
order sequence
out_of_order wrong_order > ordering sequence
idempotent repeat safe
charged_twice billed_twice paid_twice double_charge submitted_twice > idempotency idempotent duplicate
outbox event
saga compensate
compensate undo
distributed_transaction two_phase > saga transaction
two_phase commit
circuit_breaker open
breaker fallback
bulkhead isolate
rate_limit throttle
rate_limit quota
too_many_requests 429 > rate limit throttle
abuse scraping bot
bot crawler robot
crawler spider scraper
backward_compatible compatibility
compatible compatibility
breaking_change incompatible > versioning compatibility deprecation
break_clients old_clients existing_clients > compatibility versioning deprecation
deprecate sunset retire
retire decommission sunset
version versioning
contract agreement interface
openapi swagger spec
specification spec
filter criteria
partial_update patch
bulk batch
long_running takes_minutes > async job polling background
upload file
large_upload resume chunk
resumable resume
download file
multipart chunk
content_type mime
negotiate negotiation
etag conditional
microservice service
monolith microservice
monolith single_application
split_the_monolith break_up_the_monolith > strangler microservice boundary
strangler gradual
boundary context domain
bounded_context domain
domain business
layer tier
layered architecture
architecture design structure
hexagonal ports adapters
adapter wrapper
wrapper adapter facade
dependency_injection inversion
coupling dependency
tightly_coupled tangled spaghetti > coupling modular boundary
decouple loosely
modular module
module component
plugin extension
extensible plugin
event_driven event
cqrs read_model command
read_model projection
service_discovery registry
discovery lookup
tenant customer
tenant multi_tenant
multi_tenant isolation
abstraction interface
interface contract
inheritance composition
pattern design
singleton global
global_variable shared
pure side_effect
functional immutable
state stateful
stateless session
state_machine transitions workflow
state_machine status
config_server settings
security secure safe
attack attacker hacker intruder malicious
hacked breach compromised leaked
hack attack exploit
breach leak
exploit vulnerability
vulnerability weakness flaw hole
weak_spot security_hole > vulnerability
threat risk danger
threat_model attack
penetration pentest
audit review
inject injection
sql_injection parameterised
escape encode sanitise
sanitise clean filter
untrusted malicious foreign
input validation
user_input form
validate validation check
authenticate login identity
login session account
login password
who_is_this identity
identity user account
authenticate token
log_in_once one_login > sso
oauth openid login
oauth delegate consent
password passphrase
password credential secret
forgot_password reset_password > password reset recovery
reset recovery
guess_passwords try_passwords many_passwords brute_force > bruteforce limit lockout login
credential_stuffing bruteforce
passwordless passkey webauthn
passkey webauthn
second_factor mfa
session cookie
session token
stay_logged_in remember_me keeps_logging_out > session refresh token
logged_out kicked_out > session expire token
token key credential
token jwt
key secret
api_key token secret
secret credential vault
leaked_key leaked_secret committed_a_secret in_the_repository > secret leak rotate
rotate renew replace
rotate rotation
revoke invalidate withdraw
authorization permission access role
permission privilege right
role rbac
least_privilege minimal
privilege escalation
admin superuser root
access_control authorization
see_other_users other_users_data other_customers_data other_people_s_data > authorization tenant access isolation
encrypt encryption cipher
encrypt cryptography
decrypt encryption
encryption_at_rest disk
signature sign verify
signed signature
tamper integrity modify
integrity checksum
certificate tls
certificate expired renew
mutual_tls mtls
eavesdrop intercept sniff
intercept man_in_the_middle
phishing scam
spam unwanted
captcha bot
fraud abuse scam
sandbox isolate jail
sandbox isolation
origin cors
cross_origin cors
cross_site origin
iframe embed clickjacking
clickjacking frame
script_tag inline > csp
supply_chain dependency
malicious_package typosquatting > supply chain dependency
vulnerability_scan scanner
scan check
compliance regulation audit
privacy gdpr
right_to_be_forgotten delete_my_data > gdpr erasure delete
erasure delete
consent permission cookie
dependency_vulnerability advisory
patch fix update
honeypot trap
log_secrets passwords_in_logs > redact mask log
redact mask
`;

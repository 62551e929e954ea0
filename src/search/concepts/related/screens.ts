/* What people see: pages, forms, accessibility, mobile, languages, and paying. */
export const screens = `
user customer client visitor
customer client buyer
visitor guest
browser web
browser chrome firefox safari
page website screen
website site web
screen display page view
screen_size small_screen phone_screen > responsive mobile layout
responsive adaptive mobile
mobile phone device
mobile android ios
tablet device
device hardware
battery power energy
push_notification alert
app_store store_review
native mobile
interface screen
frontend client browser
backend server
component widget element
widget control
button control
form input field
form_errors wrong_input > validation form error
input field textbox
dropdown select menu
menu navigation
navigation route
checkbox option
dialog modal popup
popup modal overlay
tooltip hint
notification toast
toast message
table grid
grid layout
layout css
layout arrange
layout_jumps content_jumps jumps_around moves_while_loading > shift layout
flicker flash blink
flash unstyled
style css
css stylesheet
design look appearance
design_system component
theme dark colour
dark night
colour contrast
contrast readable
font typeface
font text
icon symbol svg
image picture photo
image resize optimise
animation motion transition
smooth fluid
smooth animation
scroll list
long_list many_rows thousands_of > virtual pagination
infinite_scroll pagination
virtual windowing
drag drop
drag_and_drop reorder
gesture touch swipe
click press tap
double_click twice
touch tap finger
keyboard key shortcut
keyboard focus
tab_key tabbing > keyboard focus
focus keyboard
typing keystroke
while_typing as_you_type each_keystroke > debounce input
debounce throttle delay
hover pointer
mouse pointer
blind visually_impaired low_vision cannot_see > accessibility screen reader
screen_reader voiceover > accessibility aria label
disabled_people disability impaired handicapped > accessibility
aria label
alt_text image
colour_blind contrast
subtitle caption
accessible inclusive
language locale translation
translate localise
translation i18n
plural language
rtl arabic hebrew
local_format date_format number_format > locale internationalisation format
render draw paint
render display
rerender redraw render
renders_too_often > render memo
white_screen blank_page blank_screen goes_blank > error boundary crash
hydration server_rendered
server_side rendering
single_page client_side
state store
global_state store
form_state draft
draft unsaved
unsaved_changes lose_my_input > draft save
url_state query_string
bookmark share_a_link > url state
back_button history
browser_history navigation
local_storage browser_storage
offline disconnected no_signal
offline service_worker
service_worker cache
sync synchronise
collaborative editing
edit_together same_document > collaborative crdt conflict
crdt merge
optimistic instant
feels_instant feels_fast > optimistic perceived
perceived feels
loading spinner skeleton
spinner progress
progress bar
first_load initial_load page_load loads_slowly > performance bundle load
page_speed web_vitals > performance
bundle javascript size
code_splitting lazy
lazy_load deferred
prefetch preload
minify compress
third_party_script tracking > script
search_engine seo google
seo search meta
analytics tracking
conversion funnel
usability user_friendly easy_to_use > usability ux
usability test
user_research interview
prototype mockup wireframe
mockup design
print pdf
pdf document
chart visualisation
map geo
email newsletter
email delivery spam
calendar date
date_picker calendar
currency money
money payment
payment charge billing
pay charge
charge bill
invoice billing
refund return
subscription recurring
checkout cart order
cart basket
price amount
tax vat
discount coupon
ledger accounting
`;

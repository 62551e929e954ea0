/*
 * The program of the guard, for a POSIX shell. `$1` is the mark in the environment of the children.
 *
 * Two processes run it. The guard reads names from stdin until its owner dies, then
 * stops what is left: the named groups, and every process with the mark, which also
 * finds processes that left their group. The backup, a fork of the guard, waits for
 * the end of descriptor 3. When both the owner and the guard died, it stops every
 * process with the mark. A line on descriptor 3 makes it exit.
 * Every wait is bounded: the ladder takes 3 s, the backup waits 5 s for the guard.
 */

export const guardScript = `
trap '' INT TERM HUP QUIT PIPE
mark=$1 names=' ' groups= strays=

find_strays() {
	strays=
	for file in $(grep -lsF "$mark" /proc/[0-9]*/environ); do
		pid=\${file#/proc/}
		strays="$strays \${pid%/environ}"
	done
}
is_in_group() {
	read -r line 2>/dev/null <"/proc/$1/stat" || return 1
	set -- \${line##*) }
	for group in $groups; do [ "$3" = "$group" ] && return 0; done
	return 1
}
signal_all() {
	for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done
	find_strays
	# One signal each: a second one makes many programs stop without cleanup.
	for pid in $strays; do is_in_group "$pid" || kill -s "$1" "$pid" 2>/dev/null; done
}
any_left() {
	for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
	find_strays
	[ -n "$strays" ]
}
wait_tenth() { sleep 0.1 2>/dev/null || sleep 1; }
wait_tenths() {
	left=$1
	while [ "$left" -gt 0 ] && any_left; do
		wait_tenth
		left=$((left - 1))
	done
}
end_all() {
	# A leader may fork and end while we look; what it left behind is there when we look again.
	any_left || wait_tenth
	wait_tenths 5
	signal_all TERM
	wait_tenths 10
	for round in 1 2 3 4 5; do
		signal_all KILL
		wait_tenth
		any_left || break
	done
}
guard_lives() {
	kill -s 0 $$ 2>/dev/null || return 1
	read -r _ _ state _ 2>/dev/null </proc/$$/stat || return 0
	[ "$state" != Z ]
}
be_backup() {
	exec 0</dev/null
	read -r line <&3 && exit
	left=50
	while [ "$left" -gt 0 ] && guard_lives; do
		wait_tenth
		left=$((left - 1))
	done
	end_all
}

be_backup &
backup=$!
exec 3<&-
while read -r action name; do
	case $names in
		*" $name "*) [ "$action" = - ] && names="\${names%% $name *} \${names#* $name }" ;;
		*) [ "$action" = + ] && names="$names$name " ;;
	esac
done
hold=
for name in $names; do
	hold=1
	case $name in *.*) ;; *) groups="$groups $name" ;; esac
done
[ -n "$hold" ] && end_all
kill -s KILL "$backup" 2>/dev/null
`;

#!/bin/sh
# Show what takes the space in a folder. Plain POSIX shell: no jq, no bash.
tool=disk-usage

emit() { # type, payload as JSON
	printf '{"type":"%s","ts":"%s","toolId":"%s","payload":%s}\n' "$1" "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)" "$tool" "$2"
}
quote() { # a text as JSON
	printf '"%s"' "$(printf '%s' "$1" | tr -d '\000-\037' | sed 's/[\\"]/\\&/g')"
}
fail() { # message, code
	emit error "{\"message\":$(quote "$1"),\"code\":\"$2\",\"recoverable\":true}"
	exit 1
}
text_field() { # the text under a key of the first object in $2; escapes are left alone
	printf '%s' "$2" | sed -n "s/^[^}]*\"$1\" *: *\"\\([^\"\\\\]*\\)\".*/\\1/p"
}
number_field() {
	printf '%s' "$2" | sed -n "s/^[^}]*\"$1\" *: *\\([0-9][0-9]*\\).*/\\1/p"
}

request=$(cat | tr '\n' ' ')
case $request in *'"context"'*'"input"'*) ;; *) fail 'stdin is not a JSON request' BAD_REQUEST ;; esac
emit started '{}'

input=${request##*\"input\"}
root=$(text_field workspaceRoot "${request#*\"context\"*\"config\"*\}}")
path=$(text_field path "$input")
top=$(number_field top "$input")
path=${path:-.}
top=${top:-10}

cd -- "${root:-.}" || fail "the workspace $root cannot be entered" WORKSPACE
cd -- "$path" 2>/dev/null || fail "$path is not a folder that can be read" NOT_A_FOLDER

set -- .[!.]* ..?* *
total=$#
done=0
list=$(mktemp) || fail 'no temporary file can be made' TEMP
trap 'rm -f "$list"' EXIT
for entry; do
	done=$((done + 1))
	{ [ -e "$entry" ] || [ -L "$entry" ]; } && du -sk -- "$entry" 2>/dev/null >>"$list"
	emit progress "{\"progress\":$done,\"total\":$total}"
done

entries=$(sort -rn "$list" | head -n "$top" | while IFS='	' read -r size name; do
	printf ',{"path":%s,"kib":%s}' "$(quote "$name")" "$size"
done)
all=$(awk '{ sum += $1 } END { print sum + 0 }' "$list")
emit result "{\"path\":$(quote "$(pwd)"),\"totalKib\":$all,\"entries\":[${entries#,}]}"

#!/bin/sh
# mctl: {"id": "hello-sh", "description": "A whole tool in one shell file"}
emit() { printf '{"type":"%s","ts":"%s","toolId":"hello-sh","payload":%s}\n' "$1" "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)" "$2"; }

request=$(cat)
case $request in
	'{'*'"input"'*) emit started '{}' ;;
	*) emit error '{"message":"stdin is not a request","code":"BAD_REQUEST"}'; exit 1 ;;
esac
name=$(printf '%s' "${request##*\"input\"}" | sed -n 's/.*"name":"\([^"\\]*\)".*/\1/p')
emit result "{\"message\":\"Hello, ${name:-World}!\"}"

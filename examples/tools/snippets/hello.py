#!/usr/bin/env python3
# mctl: {"id": "hello-python", "description": "A whole tool in one Python file"}
import datetime, json, sys

def emit(kind, payload):
    ts = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z"
    print(json.dumps({"type": kind, "ts": ts, "toolId": "hello-python", "payload": payload}), flush=True)

try:
    request = json.load(sys.stdin)
except ValueError:
    emit("error", {"message": "stdin is not JSON", "code": "BAD_REQUEST"})
    sys.exit(1)
emit("started", {})
emit("result", {"message": f"Hello, {request['input'].get('name', 'World')}!"})

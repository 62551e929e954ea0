"""Count lines, words and characters. Standard library only."""
import collections
import datetime
import json
import os
import re
import sys

TOOL_ID = "word-count"
LINES_PER_PROGRESS = 50_000


def emit(kind, payload):
    now = datetime.datetime.now(datetime.timezone.utc)
    ts = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
    event = {"type": kind, "ts": ts, "toolId": TOOL_ID, "payload": payload}
    sys.stdout.write(json.dumps(event, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def fail(message, code):
    emit("error", {"message": message, "code": code, "recoverable": True})
    sys.exit(1)


def read_request():
    try:
        request = json.load(sys.stdin)
        return request["context"], request.get("input") or {}
    except (ValueError, KeyError, TypeError):
        fail("stdin is not a JSON request", "BAD_REQUEST")


def open_in_workspace(root, path):
    root = os.path.realpath(root)
    full = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath([root, full]) != root:
        fail(f"{path} is outside the workspace {root}", "PATH_OUTSIDE")
    try:
        return open(full, encoding="utf-8", errors="replace", newline=""), os.path.getsize(full)
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror}", "FILE_UNREADABLE")


def count(lines, total_bytes):
    counts = {"lines": 0, "words": 0, "characters": 0}
    words = collections.Counter()
    seen = 0
    for line in lines:
        counts["lines"] += 1
        counts["characters"] += len(line)
        found = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", line.lower())
        counts["words"] += len(found)
        words.update(found)
        seen += len(line.encode("utf-8", "replace"))
        if counts["lines"] % LINES_PER_PROGRESS == 0:
            emit("progress", {"progress": seen, "total": total_bytes, "message": f"{counts['lines']} lines"})
    return counts, words


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    context, given = read_request()
    emit("started", {})
    if "path" in given:
        lines, size = open_in_workspace(context["workspaceRoot"], given["path"])
        emit("log", {"level": "info", "message": f"Reading {given['path']}, {size} bytes"})
    elif "text" in given:
        lines, size = given["text"].splitlines(keepends=True), len(given["text"])
    else:
        fail("Give path, a file in the workspace, or text", "NO_INPUT")
    counts, words = count(lines, size)
    emit("progress", {"progress": size, "total": size, "message": "done"})
    top = [{"word": word, "count": n} for word, n in words.most_common(given.get("top", 5))]
    emit("result", {**counts, "distinctWords": len(words), "top": top})


main()

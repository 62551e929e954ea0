"""Describe each column of a CSV file in one pass. Standard library only."""
import csv
import datetime
import io
import json
import os
import sys

TOOL_ID = "csv-summary"
ROWS_PER_PROGRESS = 50_000
DISTINCT_LIMIT = 10_000
SAMPLE_CHARACTERS = 8192


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
        return open(full, encoding="utf-8-sig", errors="replace", newline="")
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror}", "FILE_UNREADABLE")


class Column:
    def __init__(self, name):
        self.name = name
        self.count = self.empty = self.numbers = 0
        self.total = 0.0
        self.low = self.high = None
        self.distinct = set()

    def add(self, value):
        value = value.strip()
        if not value:
            self.empty += 1
            return
        self.count += 1
        if len(self.distinct) < DISTINCT_LIMIT:
            self.distinct.add(value)
        try:
            number = float(value)
        except ValueError:
            return
        self.numbers += 1
        self.total += number
        self.low = number if self.low is None else min(self.low, number)
        self.high = number if self.high is None else max(self.high, number)

    def describe(self):
        is_number = self.count > 0 and self.numbers == self.count
        described = {
            "name": self.name,
            "kind": "number" if is_number else "text" if self.count else "empty",
            "values": self.count,
            "empty": self.empty,
            "distinct": len(self.distinct),
        }
        if len(self.distinct) >= DISTINCT_LIMIT:
            described["distinctIsAtLeast"] = True
        if is_number:
            described.update(min=self.low, max=self.high, mean=self.total / self.numbers)
        elif self.count:
            described["examples"] = sorted(self.distinct)[:3]
        return described


def open_table(source, delimiter):
    if delimiter:
        return csv.reader(source, delimiter=delimiter)
    sample = source.read(SAMPLE_CHARACTERS)
    source.seek(0)
    try:
        return csv.reader(source, csv.Sniffer().sniff(sample, delimiters=",;\t|"))
    except csv.Error:
        return csv.reader(source)


def summarize(table):
    names = next(table, None)
    if names is None:
        fail("the table is empty: it has no header line", "EMPTY")
    columns = [Column(name.strip() or f"column {at + 1}") for at, name in enumerate(names)]
    rows = uneven = 0
    for row in table:
        if not row:
            continue
        rows += 1
        uneven += len(row) != len(columns)
        for column, value in zip(columns, row):
            column.add(value)
        if rows % ROWS_PER_PROGRESS == 0:
            emit("progress", {"progress": rows, "message": f"{rows} rows"})
    return rows, uneven, columns


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    context, given = read_request()
    emit("started", {})
    delimiter = given.get("delimiter")
    if delimiter is not None and len(delimiter) != 1:
        fail("delimiter must be one character", "BAD_DELIMITER")
    if "path" in given:
        source = open_in_workspace(context["workspaceRoot"], given["path"])
    elif "text" in given:
        source = io.StringIO(given["text"], newline="")
    else:
        fail("Give path, a CSV file in the workspace, or text", "NO_INPUT")
    rows, uneven, columns = summarize(open_table(source, delimiter))
    if uneven:
        emit("log", {"level": "warn", "message": f"{uneven} rows do not have {len(columns)} fields"})
    emit("result", {"rows": rows, "columns": [column.describe() for column in columns]})


main()

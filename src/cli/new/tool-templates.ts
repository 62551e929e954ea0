/*
 * The templates of `mctl new tool`: complete, working, and without a library, so that
 * one file shows the whole protocol. TOOL_ID is replaced.
 */

export interface ToolTemplate {
	/** How the manifest starts it. */
	readonly start: Readonly<Record<string, unknown>>;
	/** File name to content. */
	readonly files: Readonly<Record<string, string>>;
}

const node: ToolTemplate = {
	start: { runtime: 'node', entry: 'main.mjs' },
	files: {
		'main.mjs': `import { text } from 'node:stream/consumers';

const toolId = 'TOOL_ID';

function emit(type, payload) {
	console.log(JSON.stringify({ type, ts: new Date().toISOString(), toolId, payload }));
}

try {
	const { input } = JSON.parse(await text(process.stdin));
	emit('started', {});
	emit('log', { level: 'info', message: 'working' });
	emit('result', { message: \`Hello, \${input?.name ?? 'World'}!\` });
} catch (error) {
	emit('error', { message: error.message, code: 'BAD_REQUEST', recoverable: true });
	process.exitCode = 1;
}
`,
	},
};

const python: ToolTemplate = {
	start: { runtime: 'python', entry: 'main.py' },
	files: {
		'main.py': `import datetime
import json
import sys


def emit(kind, payload):
    ts = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z"
    print(json.dumps({"type": kind, "ts": ts, "toolId": "TOOL_ID", "payload": payload}), flush=True)


try:
    request = json.load(sys.stdin)
except ValueError as error:
    emit("error", {"message": str(error), "code": "BAD_REQUEST", "recoverable": True})
    sys.exit(1)

emit("started", {})
emit("log", {"level": "info", "message": "working"})
name = request["input"].get("name", "World")
emit("result", {"message": f"Hello, {name}!"})
`,
	},
};

const sh: ToolTemplate = {
	start: { command: ['sh', 'main.sh'] },
	files: {
		'main.sh': `#!/bin/sh
emit() { # type, payload as JSON
	printf '{"type":"%s","ts":"%s","toolId":"TOOL_ID","payload":%s}\\n' "$1" "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)" "$2"
}

request=$(cat)
case $request in
	'{'*'"input"'*) emit started '{}' ;;
	*)
		emit error '{"message":"stdin is not a request","code":"BAD_REQUEST","recoverable":true}'
		exit 1
		;;
esac
emit log '{"level":"info","message":"working"}'
name=$(printf '%s' "\${request##*\\"input\\"}" | sed -n 's/.*"name":"\\([^"\\\\]*\\)".*/\\1/p')
emit result "{\\"message\\":\\"Hello, \${name:-World}!\\"}"
`,
	},
};

const go: ToolTemplate = {
	start: { command: ['go', 'run', '.'], env: ['GOPATH', 'GOCACHE', 'GOROOT'], timeoutMs: 120_000 },
	files: {
		'go.mod': 'module TOOL_ID\n\ngo 1.21\n',
		'main.go': `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

func emit(kind string, payload map[string]any) {
	ts := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	line, _ := json.Marshal(map[string]any{"type": kind, "ts": ts, "toolId": "TOOL_ID", "payload": payload})
	fmt.Println(string(line))
}

func main() {
	var request struct{ Input struct{ Name string } }
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		emit("error", map[string]any{"message": err.Error(), "code": "BAD_REQUEST", "recoverable": true})
		os.Exit(1)
	}
	emit("started", map[string]any{})
	emit("log", map[string]any{"level": "info", "message": "working"})
	name := request.Input.Name
	if name == "" {
		name = "World"
	}
	emit("result", map[string]any{"message": "Hello, " + name + "!"})
}
`,
	},
};

export const toolTemplates: Readonly<Record<string, ToolTemplate>> = { sh, python, node, go };

/** The files of a new tool: name to content. */
export function toolFiles(id: string, template: ToolTemplate): Record<string, string> {
	const manifest = {
		manifestVersion: 1,
		id,
		version: '0.1.0',
		name: id,
		description: 'Say what it does, in one line',
		...template.start,
		inputSchema: {
			type: 'object',
			properties: { name: { type: 'string', description: 'Who is greeted' } },
			additionalProperties: false,
		},
	};
	const sources = Object.entries(template.files).map(([name, text]) => [
		name,
		text.replaceAll('TOOL_ID', id),
	]);
	return {
		'manifest.json': `${JSON.stringify(manifest, null, 2)}\n`,
		...Object.fromEntries(sources),
		'test-input.json': '{ "name": "Ada" }\n',
	};
}

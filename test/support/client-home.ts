/* A home with the configurations of all MCP clients that mctl knows, as people have them, and a project in it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from './workspace.ts';

/** An MCP server in one file: its one tool `echo` gives back its own name and the text. */
const SERVER = `
import { createInterface } from 'node:readline';
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
for await (const line of createInterface({ input: process.stdin })) {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) continue;
	if (method === 'initialize') {
		send(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } });
	} else if (method === 'tools/list') send(id, { tools: [tool] });
	else if (method === 'tools/call') send(id, { content: [{ type: 'text', text: process.argv[2] + ' ' + params.arguments.text }] });
	else console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no ' + method } }));
}
`;

/** A value that must never be printed. */
export const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

export interface ClientHome {
	readonly home: string;
	readonly project: string;
	readonly env: Record<string, string>;
	/** Every file, relative to the home, with its text. */
	readonly files: Readonly<Record<string, string>>;
}

/** Make the home; only the clients whose paths match `pattern`. */
export function clientHome(pattern = /./): ClientHome {
	const home = temporaryFolder();
	const project = join(home, 'work');
	const server = join(home, 'echo-server.mjs');
	const all = clientFiles(server, project);
	const files = Object.fromEntries(Object.entries(all).filter(([path]) => pattern.test(path)));
	writeFiles(home, { 'echo-server.mjs': SERVER, 'work/README.md': '', ...files });
	const env = {
		HOME: home,
		XDG_STATE_HOME: '',
		XDG_CONFIG_HOME: '',
		CLAUDE_CONFIG_DIR: '',
		CODEX_HOME: '',
		ORCHESTRA_TRUST: 'all',
	};
	return { home, project, env, files };
}

/** Every file below the folder, state of hubs and of mctl excepted. */
export function snapshot(folder: string): Record<string, string> {
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	return Object.fromEntries(
		names
			.filter((name) => !/^\.local|^\.orchestra/.test(name))
			.toSorted()
			.map((name) => {
				const path = join(folder, name);
				return [name, statSync(path).isFile() ? readFileSync(path, 'latin1') : 'folder'];
			}),
	);
}

function clientFiles(server: string, project: string): Record<string, string> {
	const node = process.execPath;
	const json = (name: string, more: object = {}): string =>
		JSON.stringify({ command: node, args: [server, name], ...more });
	return {
		'.claude.json': `{
  "numStartups": 42,
  "mcpServers": {
    "from-claude-code": ${json('claude-code', { type: 'stdio', env: {} })},
    "files": ${json('files')}
  },
  "projects": {
    ${JSON.stringify(project)}: {
      "allowedTools": [],
      "mcpServers": { "from-claude-local": ${json('claude-local')} }
    },
    "/somewhere/else": { "mcpServers": { "elsewhere": ${json('elsewhere')} } }
  },
  "tipsHistory": { "a": 1 }
}
`,
		'work/.mcp.json': `{"mcpServers":{"from-claude-project":${json('claude-project')}}}`,
		'.config/Claude/claude_desktop_config.json': `\uFEFF{\r\n  "mcpServers": {\r\n    "from-claude-desktop": ${json('claude-desktop')}\r\n  },\r\n  "globalShortcut": ""\r\n}\r\n`,
		'.cursor/mcp.json': `{
	// my servers
	"mcpServers": {
		"files": ${json('files')}, // the same as everywhere
		/* a token, in plain text */
		"from-cursor": ${json('cursor', { env: { GITHUB_TOKEN: SECRET } })},
	},
}
`,
		'work/.cursor/mcp.json': `{ "mcpServers": { "from-cursor-project": ${json('cursor-project', { cwd: '${workspaceFolder}' })} } }\n`,
		'.config/Code/User/mcp.json': `{
	"inputs": [{ "id": "token", "type": "promptString" }],
	"servers": {
		"from-vscode": ${json('vscode', { type: 'stdio' })},
		"asks": ${json('asks', { env: { TOKEN: '${input:token}' } })}
	}
}
`,
		'work/.vscode/mcp.json': `{\n\t"servers": {\n\t\t"from-vscode-project": ${json('vscode-project')}\n\t}\n}\n`,
		'.codeium/windsurf/mcp_config.json': `{
  "mcpServers": {
    "from-windsurf": ${json('windsurf')},
    "remote": { "serverUrl": "https://mcp.example.com/mcp", "headers": { "Authorization": "Bearer \${env:REMOTE}" }, "disabled": true }
  }
}`,
		'.codex/config.toml': `# Codex
model = "o3" # the best

[mcp_servers.from-codex]
command = ${JSON.stringify(node)}
args = [
  ${JSON.stringify(server)}, # the server
  "codex",
]
startup_timeout_sec = 20

[mcp_servers.from-codex.env]
"DEBUG" = "1"

# profiles
[profiles."my [one]"]
model = '''
[mcp_servers.from-codex]'''
`,
		'work/.codex/config.toml': `[mcp_servers]\nfrom-codex-project = { command = ${JSON.stringify(node)}, args = [${JSON.stringify(server)}, 'codex-project'] }`,
		'.gemini/settings.json': `{
  "theme": "GitHub",
  "mcpServers": {
    "from-gemini": ${json('gemini', { trust: true, excludeTools: ['none'] })}
  }
}
`,
		'.config/zed/settings.json': `// Zed settings
{
  "ui_font_size": 16,
  "context_servers": {
    "from-zed": { "command": { "path": ${JSON.stringify(node)}, "args": [${JSON.stringify(server)}, "zed"], "env": {} }, "settings": {} },
    "from-zed-flat": { "source": "custom", "command": ${JSON.stringify(node)}, "args": [${JSON.stringify(server)}, "zed-flat"] },
    "extension": { "source": "extension", "settings": {} },
  },
}
`,
		'.continue/config.yaml': `name: Mine
version: 1.0.0
schema: v1
# servers
mcpServers:
  - name: from-continue
    command: ${JSON.stringify(node)}
    args:
      - ${JSON.stringify(server)}
      - continue
models: [] # none
`,
		'work/.continue/mcpServers/one.yaml': `name: One\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: from-continue-project\n    command: ${node}\n    args: [${server}, continue-project]\n`,
		'.config/opencode/opencode.json': `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "from-opencode": { "type": "local", "command": [${JSON.stringify(node)}, ${JSON.stringify(server)}, "opencode"], "environment": { "A": "1" }, "enabled": true }
  }
}
`,
		'work/opencode.jsonc': `{
  // version 2
  "mcp": { "servers": { "from-opencode-project": { "type": "local", "command": [${JSON.stringify(node)}, ${JSON.stringify(server)}, "opencode-project"] } } }
}
`,
		'.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json': `{
  "mcpServers": {
    "files": ${json('other-files')},
    "from-cline": ${json('cline', { disabled: false, autoApprove: [] })}
  }
}
`,
	};
}

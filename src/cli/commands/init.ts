/* `mctl init`: a configuration to start from, which keeps what an `.mcp.json` says already. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonc } from '../../config/jsonc.ts';
import { OrchestraError } from '../../errors.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, refuseWords } from '../command.ts';

const FILE = 'orchestra.json';

export const init: Command = {
	usage: 'mctl init',
	examples: ['mctl init', 'mctl init && mctl new tool my-tool && mctl list'],
	flags: {},

	async run({ words, out }) {
		refuseWords({ words }, init);
		if (existsSync(FILE)) {
			throw new OrchestraError('bad_input', `${join(process.cwd(), FILE)} exists already`, {
				hint: 'Edit it; `mctl doctor` says whether it is right.',
			});
		}
		const servers = serversOf('.mcp.json');
		const count = Object.keys(servers).length;
		writeFileSync(FILE, configurationText(servers), { flag: 'wx' });
		const hasTools = existsSync('tools');
		mkdirSync('tools', { recursive: true });
		out.line(
			`${out.style('green', '+')} ${FILE}${count > 0 ? ` (with ${count} ${count === 1 ? 'server' : 'servers'} of .mcp.json)` : ''}`,
		);
		if (!hasTools) out.line(`${out.style('green', '+')} tools/`);
		out.line('\nNext: mctl new tool my-tool');
		out.line('Then: mctl doctor');
	},
};

function serversOf(file: string): Record<string, unknown> {
	if (!existsSync(file)) return {};
	const { value } = parseJsonc(readRegularText(file), file);
	const servers = isObject(value) ? value['mcpServers'] : undefined;
	return isObject(servers) ? servers : {};
}

function configurationText(servers: Record<string, unknown>): string {
	const indented = JSON.stringify(servers, null, '\t').replaceAll('\n', '\n\t');
	return `{
	// MCP servers, as in the .mcp.json of any client. \${VAR} and \${VAR:-default} are put in.
	"mcpServers": ${indented},

	// What tools may be told: a tool sees the keys it declares. Tools are looked for in ./tools;
	// "roots" names other folders, and "examples": true adds the bundled examples.
	"tools": { "config": {} },

	// Folders of markdown that become prompts and resources.
	// "library": { "prompts": "./prompts", "resources": "./resources" },

	// Programs that speak orchestra.plugin.v1.
	// "plugins": [{ "id": "tools.features", "binary": "./bin/tools-features" }],

	"limits": { "requestMs": 30000 }
}
`;
}

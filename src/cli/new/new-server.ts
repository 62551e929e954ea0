/* `mctl new server <name>`: an MCP server that works as it is written, to be changed from there. */
import { isAbsolute, relative, resolve } from 'node:path';
import { commandLine } from '../../process/spawn-record.ts';
import { type Command, usageError } from '../command.ts';
import { writeNodeProgram } from './node-package.ts';

/** As `mctl add` takes it, a folder on every system, and in quotes as it is. */
const NAME = /^[a-z0-9][\w.-]{0,63}$/i;

export const newServer: Command = {
	usage: 'mctl new server <name> [--dir FOLDER] [--json]',
	examples: ['mctl new server greeter', 'mctl call "stdio:node greeter/server.mjs" greet name=you'],
	flags: {
		dir: {
			type: 'string',
			value: 'FOLDER',
			help: 'where to write it; default: a new folder named like the server',
		},
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run({ args, flags, cwd, out }) {
		const [name, ...rest] = args;
		if (name === undefined || rest.length > 0)
			throw usageError(newServer, 'mctl new server needs one name, for example greeter');
		if (!NAME.test(name))
			throw usageError(newServer, `"${name}" is no name of a server: use letters, digits, ".", "_" and "-"`);
		const folder = resolve(cwd, typeof flags['dir'] === 'string' ? flags['dir'] : name);
		const source = serverSource(name);
		const file = 'server.mjs';
		const path = await writeNodeProgram(folder, { name, file, source, imports: 'orchestra-hub/mcp' });
		// Relative to the project, where it is inside: a file of the project is shared.
		const near = relative(cwd, path);
		const shown = near.startsWith('..') || isAbsolute(near) ? path : near.replaceAll('\\', '/');
		const entry = { command: 'node', args: [shown] };
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'server', name, path, entry });
		out.line(`Wrote ${path}`);
		out.line(`Try it:  mctl call "stdio:${commandLine(entry)}" greet name=you`);
		out.line(`Add it:  mctl add ${name} -- ${commandLine(entry)}`);
	},
};

function serverSource(name: string): string {
	return `import { serve } from 'orchestra-hub/mcp';

await serve({
	name: '${name}',
	version: '1.0.0',
	tools: { greet: { description: 'Say hello', run: ({ name }) => \`Hello, \${name ?? 'world'}!\` } },
});
`;
}

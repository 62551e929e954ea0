/* `mctl new plugin <id>`: a plugin that works as it is written, to be changed from there. */
import { resolve } from 'node:path';
import { checkName } from '../../link/certificates/certificates.ts';
import { type Command, usageError } from '../command.ts';
import { writeNodeProgram } from './node-package.ts';

export const newPlugin: Command = {
	usage: 'mctl new plugin <id> [--dir FOLDER] [--json]',
	examples: ['mctl new plugin tools.hello', 'node tools.hello/plugin.mjs --manifest'],
	flags: {
		dir: {
			type: 'string',
			value: 'FOLDER',
			help: 'where to write it; default: a new folder named like the id',
		},
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run({ args, flags, cwd, out }) {
		const [id, ...rest] = args;
		if (id === undefined || rest.length > 0)
			throw usageError(newPlugin, 'mctl new plugin needs one id, for example tools.hello');
		checkName(id);
		const folder = resolve(cwd, typeof flags['dir'] === 'string' ? flags['dir'] : id);
		const program = { name: id, file: 'plugin.mjs', source: pluginSource(id) };
		const path = await writeNodeProgram(folder, { ...program, imports: 'orchestra-hub/plugin' });
		const entry = { id, binary: 'node', args: [path] };
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'plugin', name: id, path, entry });
		out.line(`Wrote ${path}`);
		out.line(`Try it:  node ${path} --manifest`);
		out.line(`Add it:  "plugins": [${JSON.stringify(entry)}] in orchestra.json, then mctl trust`);
	},
};

function pluginSource(id: string): string {
	return `import { definePlugin } from 'orchestra-hub/plugin';

await definePlugin({
	id: ${JSON.stringify(id)},
	version: '0.1.0',
	description: 'Says hello',
	tools: {
		hello: {
			description: 'Greet a user',
			inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
			run: ({ name = 'world' }) => \`Hello, \${name}!\`,
		},
	},
}).run();
`;
}

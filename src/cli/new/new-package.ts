/* `mctl new plugin` and `mctl new server`: a program of Node that works as it is written, to be changed from there. */

import { lstat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { packageRoot } from '../../files/package-root.ts';
import { checkName } from '../../link/certificates/certificates.ts';
import { commandLine } from '../../process/spawn-record.ts';
import { type Command, type CommandInput, type Flag, jsonFlag, textFlag, usageError } from '../command.ts';
import { writeNewFile } from './create-fragment.ts';

const dirFlag: Flag = { value: 'FOLDER', help: 'where to write it; default: a new folder of its name' };

export const newPlugin: Command = {
	usage: 'mctl new plugin <id> [--dir FOLDER] [--json]',
	examples: ['mctl new plugin tools.hello', 'node tools.hello/plugin.mjs --manifest'],
	flags: { dir: dirFlag, json: jsonFlag },
	args: [1, 1, 'one id, for example tools.hello'],

	async run(input) {
		const [id = ''] = input.args;
		const { out } = input;
		checkName(id);
		const program = { name: id, file: 'plugin.mjs', source: pluginSource(id) };
		const path = await writeNodeProgram({ ...program, imports: 'orchestra-hub/plugin' }, input);
		const entry = { id, binary: 'node', args: [path] };
		if (input.flags['json'])
			return out.json({ schema: 'orchestra.new/1', kind: 'plugin', name: id, path, entry });
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

/** The command line as `mctl add` takes it, a folder on every system, and in quotes as it is. */
const NAME = /^[a-z0-9][\w.-]{0,63}$/i;

export const newServer: Command = {
	usage: 'mctl new server <name> [--dir FOLDER] [--json]',
	examples: ['mctl new server greeter', 'mctl call "stdio:node greeter/server.mjs" greet name=you'],
	flags: { dir: dirFlag, json: jsonFlag },
	args: [1, 1, 'one name, for example greeter'],

	async run(input) {
		const [name = ''] = input.args;
		const { cwd, out } = input;
		if (!NAME.test(name))
			throw usageError(newServer, `"${name}" is no name of a server: use letters, digits, ".", "_" and "-"`);
		const program = { name, file: 'server.mjs', source: serverSource(name) };
		const path = await writeNodeProgram({ ...program, imports: 'orchestra-hub/mcp' }, input);
		// Relative to the project, where it is inside: a file of the project is shared.
		const near = relative(cwd, path);
		const shown = near.startsWith('..') || isAbsolute(near) ? path : near.replaceAll('\\', '/');
		const entry = { command: 'node', args: [shown] };
		if (input.flags['json'])
			return out.json({ schema: 'orchestra.new/1', kind: 'server', name, path, entry });
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

const PACKAGE_NAME = 'orchestra-hub';

/** A program, and the subpath of this package that it imports. */
interface NodeProgram {
	readonly name: string;
	readonly file: string;
	readonly source: string;
	readonly imports: 'orchestra-hub/mcp' | 'orchestra-hub/plugin';
}

/** Write the program and its `package.json`, and link this package. Returns the path of the program. Overwrites nothing. */
async function writeNodeProgram(program: NodeProgram, input: CommandInput): Promise<string> {
	const folder = resolve(input.cwd, textFlag(input, 'dir') ?? program.name);
	const path = join(folder, program.file);
	await writeNewFile(path, program.source);
	await writeNewFile(join(folder, 'package.json'), packageSource(program.name));
	await linkPackage(folder, program);
	return path;
}

function packageSource(given: string): string {
	const name = given.toLowerCase().replace(/[^a-z0-9]+/g, '-');
	// By path, not by name: anyone may register an unpublished name.
	const dependencies = { [PACKAGE_NAME]: `file:${packageRoot()}` };
	const content = { name, version: '0.1.0', private: true, type: 'module', dependencies };
	return `${JSON.stringify(content, null, '\t')}\n`;
}

/** So that the package is found before anything was installed. */
async function linkPackage(folder: string, { file, imports }: NodeProgram): Promise<void> {
	try {
		createRequire(join(folder, file)).resolve(imports);
	} catch {
		const modules = join(folder, 'node_modules');
		makeFolders(modules);
		const link = join(modules, PACKAGE_NAME);
		const isThere = await lstat(link).then(
			() => true,
			() => false,
		);
		if (!isThere) await symlink(packageRoot(), link, 'junction');
	}
}

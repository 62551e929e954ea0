/* `mctl new plugin <id>`: a plugin that works as it is written, to be changed from there. */
import { lstat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { packageRoot } from '../../files/package-root.ts';
import { checkName } from '../../link/certificates/certificates.ts';
import { type Command, usageError } from '../command.ts';
import { writeNewFile } from '../scaffold/create-fragment.ts';

const PACKAGE_NAME = 'orchestra-hub';

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

	async run({ words, flags, out }) {
		const [id, ...rest] = words;
		if (id === undefined || rest.length > 0)
			throw usageError(newPlugin, 'mctl new plugin needs one id, for example tools.hello');
		checkName(id);
		const folder = resolve(typeof flags['dir'] === 'string' ? flags['dir'] : id);
		await writeNewFile(join(folder, 'plugin.mjs'), pluginSource(id));
		await writeNewFile(join(folder, 'package.json'), packageSource(id));
		await linkPackage(folder);
		const path = join(folder, 'plugin.mjs');
		const entry = { id, binary: 'node', args: [path] };
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'plugin', name: id, path, entry });
		out.line(`Wrote ${path}`);
		out.line(`Try it:  node ${path} --manifest`);
		out.line(`Add it:  "plugins": [${JSON.stringify(entry)}] in orchestra.json, then mctl trust`);
	},
};

/** So that `orchestra-hub/plugin` is found before anything was installed. */
async function linkPackage(folder: string): Promise<void> {
	try {
		createRequire(join(folder, 'plugin.mjs')).resolve('orchestra-hub/plugin');
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

function packageSource(id: string): string {
	const name = id.toLowerCase().replace(/[^a-z0-9]+/g, '-');
	// By path, not by name: anyone may register an unpublished name.
	const dependencies = { [PACKAGE_NAME]: `file:${packageRoot()}` };
	const content = { name, version: '0.1.0', private: true, type: 'module', dependencies };
	return `${JSON.stringify(content, null, '\t')}\n`;
}

function pluginSource(id: string): string {
	return `import { definePlugin } from 'orchestra-hub/plugin';

await definePlugin({
	id: ${JSON.stringify(id)},
	version: '0.1.0',
	description: 'Says hello',
	tools: {
		hello: {
			description: 'Greet somebody',
			inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
			run: ({ name = 'world' }) => \`Hello, \${name}!\`,
		},
	},
}).run();
`;
}

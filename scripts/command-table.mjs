/* The table of commands for scripts. It is TypeScript: it is bundled into a folder that is removed again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const root = resolve(import.meta.dirname, '..');

export async function loadCommands() {
	const folder = mkdtempSync(join(root, 'node_modules', '.command-table-'));
	try {
		await build({
			cwd: root,
			input: { commands: 'src/cli/command-table.ts' },
			platform: 'node',
			external: (id) => !id.startsWith('.') && !id.startsWith(root),
			output: { dir: folder, format: 'esm', codeSplitting: false, entryFileNames: '[name].mjs' },
			logLevel: 'silent',
		});
		const table = await import(pathToFileURL(join(folder, 'commands.mjs')).href);
		// Loaded now: the folder is gone when a command would be.
		for (const entry of table.commands.values()) await entry.load();
		return table;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callServer, mcpFolder } from '../support/mcp-folder.ts';

const OTHERS = 0o077;

test.skipIf(process.platform === 'win32')(
	'every file and folder that a hub leaves is closed to other users, even with a umask of zero',
	async () => {
		const { run, env } = mcpFolder({ one: callServer });
		const before = process.umask(0);
		try {
			await run('hub', 'start');
			await run('list', 'servers', '--check');
			await run('call', 'one__nothing');
			await run('hub', 'stop');
		} finally {
			process.umask(before);
		}
		const { HOME = '', XDG_STATE_HOME = '' } = env;
		const made = [join(XDG_STATE_HOME, 'orchestra'), join(HOME, '.orchestra')].flatMap(below);
		expect(made.length).toBeGreaterThan(5);
		expect(made.filter((path) => (statSync(path).mode & OTHERS) !== 0)).toEqual([]);
	},
);

function below(folder: string): string[] {
	const inner = readdirSync(folder, { withFileTypes: true, recursive: true });
	return [folder, ...inner.map((entry) => join(entry.parentPath, entry.name))];
}

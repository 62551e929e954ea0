/* Edits of one configuration file by several processes of ours, and beside other programs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editConfigFile } from '../../../src/config/edit/edit-config-file.ts';
import { setJsonKey } from '../../../src/config/edit/json-edit.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('an edit of a configuration file', () => {
	it.each([true, false])(
		'is not lost when others are made at the same moment (of the user: %s)',
		async (isOfUser) => {
			const { path, environment } = openFile('{ "mcpServers": {} }');
			const names = Array.from({ length: 8 }, (_, at) => `server-${at}`);
			const add = (name: string) => (text: string) =>
				setJsonKey(text, ['mcpServers', name], { command: 'cat' });
			await Promise.all(names.map((name) => editConfigFile({ path, isOfUser }, add(name), environment)));
			expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).mcpServers).sort()).toEqual(names);
		},
	);

	it('is refused when the file is not the one that was read', async () => {
		const { path, environment } = openFile('{}');
		const expected = { bytes: Buffer.from('{ "older": 1 }') };
		const edit = editConfigFile({ path, isOfUser: true, expected }, () => '{ "new": 1 }', environment);
		await expect(edit).rejects.toThrow('was changed by another program');
		expect(readFileSync(path, 'utf8')).toBe('{}');
	});
});

function openFile(text: string): { path: string; environment: NodeJS.ProcessEnv } {
	const home = temporaryFolder();
	const path = join(home, 'orchestra.json');
	writeFileSync(path, text);
	return { path, environment: { HOME: home } };
}

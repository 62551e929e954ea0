import { expect, test } from 'vitest';
import { callText, configuredFolder, pluginWith } from '../support/plugins.ts';
import { thrownBy } from '../support/programs.ts';
import { writeFiles } from '../support/workspace.ts';

test('a plugin gets resolved references, and a broken one fails alone', async () => {
	const { open, folder } = configuredFolder({
		plugins: [
			pluginWith('tools.good', 'key: tool(() => process.env.KEY)', { env: { KEY: '<${file:key.txt}>' } }),
			pluginWith('tools.bad', 'other: tool(() => 1)', { config: { KEY: '${file:absent.txt}' } }),
		],
	});
	writeFiles(folder, { 'key.txt': 'key-of-the-plugin\n' });
	const client = await open();
	expect(await callText(client, 'key')).toBe('<key-of-the-plugin>');
	const error = await thrownBy(() => callText(client, 'other'));
	expect(String(error)).toContain('plugins.1.config.KEY cannot be resolved from ${file:absent.txt}');
});

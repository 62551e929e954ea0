/* Enable and disable a plugin in each file that may have one. */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { entryFiles } from '../../../src/config/edit/editable-files.ts';
import { enabledEdit } from '../../../src/config/edit/entry-switches.ts';
import { setYamlFlag } from '../../../src/config/edit/yaml-flag.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { OrchestraError } from '../../../src/errors.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('a disabled plugin', () => {
	it.each([
		[
			'of a list in JSON with comments',
			'orchestra.json',
			'{\n\t"plugins": [\n\t\t{ "id": "a.b", "binary": "./x" }, // mine\n\t],\n}\n',
			'{\n\t"plugins": [\n\t\t{ "id": "a.b", "binary": "./x", "enabled": false }, // mine\n\t],\n}\n',
		],
		[
			'with a flag of its own',
			'orchestra.json',
			'{"plugins":[{"id":"o"},{"id":"a.b","disabled":false,"binary":"x"}]}',
			'{"plugins":[{"id":"o"},{"id":"a.b","disabled":true,"binary":"x"}]}',
		],
		[
			'of a list in YAML',
			'plugins.yaml',
			'plugins:\r\n  # first\r\n  - id: a.b # mine\r\n    # the program\r\n    binary: ./x\r\n',
			'plugins:\r\n  # first\r\n  - id: a.b # mine\r\n    enabled: false\r\n    # the program\r\n    binary: ./x\r\n',
		],
		[
			'with a YAML flag',
			'plugins.yaml',
			'plugins:\n- env:\n    A: b\n  id: a.b\n  binary: x\n  enabled: yes # on\n',
			'plugins:\n- env:\n    A: b\n  id: a.b\n  binary: x\n  enabled: false # on\n',
		],
		[
			'in braces',
			'plugins.yaml',
			'plugins: [{ binary: x, id: a.b }]',
			'plugins: [{ enabled: false, binary: x, id: a.b }]',
		],
		[
			'at the end of a text without a line end',
			'plugins.yaml',
			'plugins:\n  - binary: x\n    env:\n      A: b\n    id: a.b',
			'plugins:\n  - binary: x\n    enabled: false\n    env:\n      A: b\n    id: a.b',
		],
		[
			'with a merged key',
			'plugins.yaml',
			'plugins:\n  - &base\n    id: other\n    binary: x\n  - <<: *base\n    id: a.b',
			'plugins:\n  - &base\n    id: other\n    binary: x\n  - <<: *base\n    id: a.b\n    enabled: false',
		],
		[
			'of the registry of another Orchestra',
			'.orchestra/plugins/registry.json',
			'{\n  "plugins": {\n    "github.com/a/b": {\n      "id": "a.b",\n      "binary": "x",\n      "enabled": true\n    }\n  }\n}',
			'{\n  "plugins": {\n    "github.com/a/b": {\n      "id": "a.b",\n      "binary": "x",\n      "enabled": false\n    }\n  }\n}',
		],
	])('%s keeps the rest of its file, and is enabled again', (_, name, text, expected) => {
		const place = openPlace({ [name]: text });
		expect(place.edit(name, false)).toBe(expected);
		const off = openPlace({ [name]: expected });
		expect(off.isEnabled()).toBe(false);
		expect(off.edit(name, false)).toBeUndefined();
		const on = openPlace({ [name]: off.edit(name, true) ?? '' });
		expect(on.isEnabled()).toBe(true);
	});

	it('that is an alias is left for the user', () => {
		const place = openPlace({ 'plugins.yaml': 'x: &a { id: a.b, binary: x }\nplugins:\n  - *a\n' });
		expect(() => place.edit('plugins.yaml', false)).toThrow(OrchestraError);
	});

	it('of any YAML list is disabled, and no other value changes', () => {
		const text = fc.string({ unit: 'grapheme', maxLength: 12 });
		const entry = fc.record({ binary: text, id: text, env: fc.dictionary(text, text) });
		fc.assert(
			fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), fc.boolean(), (plugins, isFlow) => {
				const before = stringify({ plugins, end: 1 }, { collectionStyle: isFlow ? 'flow' : 'any' });
				const [first, ...others] = plugins;
				const after = { plugins: [{ ...first, enabled: false }, ...others], end: 1 };
				expect(parse(setYamlFlag(before, ['plugins', 0, 'enabled'], false))).toEqual(after);
			}),
			{ numRuns: 50 },
		);
	});
});

function openPlace(files: Record<string, string>) {
	const home = writeFiles(temporaryFolder(), { 'work/.git/HEAD': '' });
	const cwd = join(home, 'work');
	for (const [name, text] of Object.entries(files))
		writeFiles(name.startsWith('.orchestra') ? home : cwd, { [name]: text });
	const environment = { HOME: home, ORCHESTRA_TRUST: 'all' };
	const all = [...entryFiles('project', cwd, environment), ...entryFiles('user', cwd, environment)];
	const file = (name: string) => all.find(({ path }) => path.endsWith(`/${name}`));
	return {
		file,
		edit(name: string, isEnabled: boolean): string | undefined {
			const found = file(name);
			if (found === undefined) throw new Error(`${name} is not editable`);
			return enabledEdit(found, 'a.b', isEnabled);
		},
		isEnabled: () =>
			loadConfiguration({ cwd, environment }).configuration.plugins.find(({ id }) => id === 'a.b')?.isEnabled,
	};
}

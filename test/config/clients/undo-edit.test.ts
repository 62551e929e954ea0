import fc from 'fast-check';
import { stringify as stringifyToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { stringify as stringifyYaml } from 'yaml';
import { parseClientText } from '../../../src/config/clients/client-document.ts';
import { editClientText } from '../../../src/config/clients/edit-client.ts';
import { type UndoneEdit, undoEdit } from '../../../src/config/clients/undo-edit.ts';

const ours = { command: 'mctl', args: ['bridge'] };
const files = { command: 'npx', args: ['-y', 'files'], env: { A: '1' } };
const other = { command: 'uvx', args: ['other'] };

type Value = Record<string, unknown>;

/** How another program may write a file again. */
const rewrites: Record<string, (value: Value) => string> = {
	'two spaces': (value) => JSON.stringify(value, null, 2),
	tabs: (value) => `${JSON.stringify(value, null, '\t')}\n`,
	'one line': (value) => JSON.stringify(value),
	'carriage returns': (value) => JSON.stringify(value, null, 4).replaceAll('\n', '\r\n'),
	'a byte order mark': (value) => `\uFEFF${JSON.stringify(value, null, 1)}`,
};

describe('undoEdit', () => {
	it.each(Object.keys(rewrites))('restores the servers in JSON written again with %s', (form) => {
		const before = JSON.stringify({ count: 1, mcpServers: { files, other }, tips: {} }, null, 2);
		const after = moved(before, 'x.json');
		const now = rewrites[form]?.({ added: [1], tips: {}, count: 7, mcpServers: { orchestra: ours } }) ?? '';
		const { text, kept } = undone({ before, after, now });
		expect(parseClientText(text, 'x.json')).toEqual({
			added: [1],
			tips: {},
			count: 7,
			mcpServers: { files, other },
		});
		expect(kept).toEqual([]);
	});

	it('keeps every byte of others: comments, order and layout', () => {
		const before = '{\n\t// mine\n\t"mcpServers": {\n\t\t"files": { "command": "x" }, // first\n\t},\n}\n';
		const after = moved(before, 'x.json');
		const grow = (text: string): string => text.replace('{\n', '{\n\t"theme" : "dark", // new\n');
		expect(undone({ before, after, now: grow(after) }).text).toBe(grow(before));
	});

	it('writes a server as it was written, with its comments, where its neighbours changed', () => {
		const before = '{\n  "mcpServers": {\n    "files": {\n      "command": "x" // why\n    }\n  }\n}\n';
		const after = moved(before, 'x.json');
		const now = '{\n\t"mcpServers": {\n\t\t"new": {}\n\t}\n}\n';
		expect(undone({ before, after, now }).text).toBe(
			'{\n\t"mcpServers": {\n\t\t"new": {},\n\t\t"files": {\n\t\t  "command": "x" // why\n\t\t}\n\t}\n}\n',
		);
	});

	it.each([
		['{}', '{}'],
		['{"mcpServers":null}', '{"mcpServers":null}'],
		['', '{}'],
	])('restores the servers into %j', (now) => {
		const before = JSON.stringify({ mcpServers: { files } });
		const edit = undone({ before, after: moved(before, 'x.json'), now });
		expect(parseClientText(edit.text, 'x.json')).toEqual({ mcpServers: { files } });
	});

	it('leaves a server alone that others changed or added again, and names it', () => {
		const before = JSON.stringify({ mcpServers: { files, other } });
		const after = moved(before, 'x.json');
		const now = JSON.stringify({
			mcpServers: { files: { command: 'mine' }, orchestra: { command: 'else' } },
		});
		const { text, kept } = undone({ before, after, now });
		expect(JSON.parse(text)).toEqual({
			mcpServers: { files: { command: 'mine' }, orchestra: { command: 'else' }, other },
		});
		expect(kept.toSorted()).toEqual(['files', 'orchestra']);
	});

	it('removes our entry when its client only added keys to it, and the object that was made for it', () => {
		const before = '{"a":1}';
		const after = moved(before, 'x.json');
		const now = JSON.stringify({ a: 1, mcpServers: { orchestra: { ...ours, type: 'stdio', env: {} } } });
		expect(undone({ before, after, now }).text).toBe('{"a":1}');
	});

	it.each([
		['{"mcpServers":', 'x.json:1: '],
		['{"mcpServers":[1]', 'x.json:1: '],
		['{"mcpServers":"none"}', 'x.json: mcpServers is not an object'],
		['[]', 'x.json: mcpServers is not an object'],
	])('refuses %j', (now, message) => {
		const before = JSON.stringify({ mcpServers: { files } });
		expect(() => undone({ before, after: moved(before, 'x.json'), now })).toThrow(message);
	});

	it('restores tables of TOML as they were written, and keeps the rest', () => {
		const before =
			'model = "o3"\n\n[mcp_servers.files]\ncommand = "npx" # fast\n\n[mcp_servers.files.env]\nA = "1"\n';
		const after = moved(before, 'x.toml', ['mcp_servers']);
		const grown = `# mine\n${after}\n[mcp_servers.new]\ncommand = 'z'\n`;
		const { text } = undone({ path: 'x.toml', before, after, now: grown, places: [['mcp_servers']] });
		expect(text).toBe(
			`# mine\nmodel = "o3"\n\n[mcp_servers.new]\ncommand = 'z'\n\n[mcp_servers.files]\ncommand = "npx" # fast\n\n[mcp_servers.files.env]\nA = "1"\n`,
		);
	});

	it('restores items of a YAML list, whatever has become of the list', () => {
		const before = 'a: 1\nmcpServers:\n  - name: files\n    command: npx # fast\nz: 2\n';
		const after = 'a: 1\nmcpServers: []\nz: 2\n';
		const forms: [now: string, text: string][] = [
			[`# mine\n${after}`, `# mine\n${before}`],
			['a: 2\n', 'a: 2\nmcpServers:\n  - name: files\n    command: npx # fast\n'],
			['mcpServers:\nb: 1\n', 'mcpServers:\n  - name: files\n    command: npx # fast\nb: 1\n'],
			[
				'mcpServers:\n- name: new\n  command: y\nb: 1',
				'mcpServers:\n- name: new\n  command: y\n- name: files\n  command: npx # fast\nb: 1',
			],
			['mcpServers: [{name: new}]', 'mcpServers: [{name: new}, {"name":"files","command":"npx"}]'],
		];
		for (const [now, text] of forms) expect(undone({ path: 'x.yaml', before, after, now }).text).toBe(text);
	});

	it('gives the old servers and everything of others, whatever was rewritten, in every format', () => {
		const server = fc.record({ command: fc.string(), args: fc.array(fc.string(), { maxLength: 2 }) });
		const servers = fc.dictionary(fc.constantFrom('a', 'b c', 'd.e', '"', '__x'), server, { maxKeys: 4 });
		const others = fc.dictionary(fc.constantFrom('more', 'x y', '1'), fc.constantFrom(1, 'text', true));
		const format = fc.constantFrom('json', 'toml', 'yaml');
		fc.assert(
			fc.property(
				servers,
				servers,
				others,
				format,
				fc.constantFrom(0, 2, '\t'),
				(old, added, rest, ext, space) => {
					const path = `x.${ext}`;
					const write = (value: Value): string => written(value, ext, space);
					const before = write({ first: 1, servers: old });
					const after = write({ first: 1, servers: { orchestra: ours } });
					const now = write({ ...rest, servers: { ...added, orchestra: ours } });
					const { text, kept } = undone({ path, before, after, now, places: [['servers']] });
					expect(valueOf(text, path)).toEqual({ ...rest, servers: { ...old, ...added } });
					const differing = Object.keys(old).filter(
						(name) => name in added && JSON.stringify(added[name]) !== JSON.stringify(old[name]),
					);
					expect(kept.toSorted()).toEqual(differing.toSorted());
				},
			),
			{ numRuns: 300 },
		);
	});
});

/** The file after `mctl init`: the servers out, ours in. */
function moved(text: string, path: string, keys: readonly string[] = ['mcpServers']): string {
	const value = parseClientText(text, path) as Record<string, Value | undefined>;
	const remove = Object.keys(value[keys[0] ?? ''] ?? {}).map((name) => ({ name, keys }));
	return editClientText({ path, text }, { remove, add: [{ name: 'orchestra', keys, value: ours }] });
}

interface Texts {
	path?: string;
	before: string;
	after: string;
	now: string;
	places?: string[][];
}

function undone({ path = 'x.json', places = [['mcpServers']], ...texts }: Texts): UndoneEdit {
	return undoEdit({ path, places, ...texts });
}

/** The servers as a list in YAML. */
function written(value: Value, ext: string, space: number | string): string {
	if (ext === 'json') return JSON.stringify(value, null, space);
	if (ext === 'toml') return stringifyToml(value);
	const list = Object.entries(value['servers'] as Value).map(([name, inner]) => ({ name, ...Object(inner) }));
	return stringifyYaml({ ...value, servers: list }, { collectionStyle: space === 0 ? 'flow' : 'any' });
}

function valueOf(text: string, path: string): unknown {
	const value = parseClientText(text, path) as Value;
	const { servers = {} } = value;
	if (!Array.isArray(servers)) return structuredClone({ ...value, servers });
	const named = servers.map(({ name, ...rest }: { name: string }) => [name, rest]);
	return { ...value, servers: Object.fromEntries(named) };
}

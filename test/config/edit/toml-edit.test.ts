import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { appendTomlTable, removeTomlTable } from '../../../src/config/edit/toml-edit.ts';

describe('removeTomlTable', () => {
	it('removes a table with its own tables, and leaves comments of the next one', () => {
		const text =
			'# top\nmodel = "o3" # why\n\n[mcp_servers.a]\ncommand = "x"\n\n[mcp_servers.a.env]\nT = "1"\n\n# about b\n[mcp_servers.b]\ncommand = "y"\n';
		expect(removeTomlTable(text, ['mcp_servers', 'a'])).toBe(
			'# top\nmodel = "o3" # why\n\n# about b\n[mcp_servers.b]\ncommand = "y"\n',
		);
	});

	it.each([
		['dotted keys', 'mcp_servers.a.command = "x"\nmcp_servers.a.args = [\n  "]", # ]\n]\nz = 1\n', 'z = 1\n'],
		[
			'a key of the outer table',
			'[mcp_servers]\na = { command = "x" }\nb.command = "y"\n',
			'[mcp_servers]\nb.command = "y"\n',
		],
		['a quoted key', `[mcp_servers."a"]\r\ncommand = '''\r\n[mcp_servers.b]'''\r\n[x]\r\n`, '[x]\r\n'],
		['a table at the end without a newline', 'z = 1\n[mcp_servers.a]\ncommand = "x"', 'z = 1\n'],
	])('removes %s', (_, text, expected) => {
		expect(removeTomlTable(text, ['mcp_servers', 'a'])).toBe(expected);
	});

	it('keeps every other line of any text, and changes its value by the table alone', () => {
		fc.assert(
			fc.property(document(), fc.constantFrom('a', 'b c', 'd.e'), ({ text, kept }, name) => {
				const expected = withoutServer(parse(text), name);
				const removed = removeTomlTable(text, ['mcp_servers', name]);
				expect(parse(removed)).toEqual(expected);
				for (const mark of kept) expect(removed).toContain(mark);
				expect(isSubsequence(removed, text)).toBe(true);
				const added = appendTomlTable(removed, ['mcp_servers', 'new "one"'], {
					command: 'a\\b\u007F',
					args: ['"', '#'],
				});
				expect(added.startsWith(removed)).toBe(true);
				expect(parse(added)).toMatchObject({
					...expected,
					mcp_servers: { 'new "one"': { command: 'a\\b\u007F', args: ['"', '#'] } },
				});
			}),
			{ numRuns: 500 },
		);
	});
});

function withoutServer(value: Record<string, unknown>, name: string): Record<string, unknown> {
	const copy = structuredClone(value) as { mcp_servers?: Record<string, unknown> };
	if (copy.mcp_servers === undefined) return copy;
	const { [name]: _gone, ...rest } = copy.mcp_servers;
	const { mcp_servers: _servers, ...others } = copy;
	return Object.keys(rest).length === 0 ? others : { ...others, mcp_servers: rest };
}

function isSubsequence(part: string, whole: string): boolean {
	let at = 0;
	for (const char of part) {
		at = whole.indexOf(char, at) + 1;
		if (at === 0) return false;
	}
	return true;
}

/** Tables in any order with comments, strings with brackets, arrays over lines, dotted and quoted keys. */
function document(): fc.Arbitrary<{ text: string; kept: string[] }> {
	const value = fc.constantFrom(
		'1',
		'"[mcp_servers.a]"',
		"'# no comment'",
		'"""\n[mcp_servers.a]\n""quoted\\"" """',
		"'''\n[x]\n'''",
		'[\n  "a]", # ] [\n  [1, 2],\n]',
		'{ x = "}", y = [1] }',
		'1979-05-27T07:32:00Z',
	);
	const header = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));
	const server = fc
		.record({
			name: fc.constantFrom('a', 'b c', 'd.e', 'other'),
			values: fc.array(value, { minLength: 1, maxLength: 3 }),
			hasEnv: fc.boolean(),
			comment: fc.boolean(),
		})
		.map(({ name, values, hasEnv, comment }) => ({
			key: `server ${name}`,
			text: (id: number) =>
				[
					`[mcp_servers . ${header(name)}]${comment ? ' # header' : ''}`,
					...values.map((each, index) => `key${index} = ${each}`),
					...(hasEnv ? ['', `[mcp_servers.${header(name)}.env]`, `"quoted.key" = "v"`] : []),
					`# kept ${id}`,
				].join('\n'),
		}));
	const table = fc.array(value, { maxLength: 3 }).map((values) => ({
		key: 'table',
		text: (id: number) =>
			[
				`[table${id}.'in ] ner']`,
				...values.map((each, index) => `a.b${index} = ${each}`),
				`# kept ${id}`,
			].join('\n'),
	}));
	return fc
		.record({
			top: fc.array(value, { maxLength: 2 }),
			parts: fc.uniqueArray(fc.oneof(server, table), {
				maxLength: 6,
				selector: ({ key }) => (key === 'table' ? Symbol('table') : key),
			}),
			gap: fc.constantFrom('\n', '\n\n', '\n\n\n'),
			eol: fc.constantFrom('\n', '\r\n'),
			end: fc.constantFrom('', '\n'),
		})
		.map(({ top, parts, gap, eol, end }) => {
			const head = top.map((each, index) => `top${index} = ${each}\n`).join('');
			const text = head + parts.map((part, id) => part.text(id)).join(gap) + end;
			return {
				text: text.replaceAll('\n', eol),
				kept: parts.map((_, id) => `# kept ${id}`),
			};
		});
}

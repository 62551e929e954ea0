import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { removeYamlItems } from '../../../src/config/edit/yaml-list.ts';

describe('removeYamlItems', () => {
	it('removes an item with its lines', () => {
		const text =
			'# top\nmcpServers:\n  - name: a\n    args:\n      - x\n  # about b\n  - name: b # b\nend: 1\n';
		expect(removeYamlItems(text, 'mcpServers', [0])).toBe(
			'# top\nmcpServers:\n  # about b\n  - name: b # b\nend: 1\n',
		);
	});

	it('leaves an empty list where all items are removed', () => {
		expect(removeYamlItems('mcpServers: # mine\n- name: a\n', 'mcpServers', [0])).toBe(
			'mcpServers: [] # mine\n',
		);
	});

	it.each([
		['mcpServers: [{ name: a }]', [0], 'mcpServers: []'],
		['mcpServers: [{ name: a }, "b", {c: 1}] # three', [0, 2], 'mcpServers: ["b"] # three'],
		['mcpServers: [\n  {name: a},\n  {name: b},\n]\n', [1], 'mcpServers: [\n  {name: a},\n]\n'],
	])('removes items of a list in brackets: %j without %j', (text, indexes, expected) => {
		expect(removeYamlItems(text, 'mcpServers', indexes)).toBe(expected);
	});

	it('refuses a value that is no list', () => {
		expect(() => removeYamlItems('mcpServers: none', 'mcpServers', [0])).toThrow(
			'mcpServers is not a list that can be edited',
		);
	});

	it('changes the value of any list by the removed items alone', () => {
		const item = fc.constantFrom(
			'- name: a\n    command: x',
			'- name: b\n    args:\n      - "- name: z"\n      - y # c',
			'- { name: c }',
			'- name: d\n    text: |\n      - name: no\n\n      more',
			'- name: e\n    env: {A: "1"}\n',
		);
		const list = fc.array(item, { minLength: 1, maxLength: 6 });
		fc.assert(
			fc.property(list, fc.array(fc.nat(5)), fc.constantFrom('\n', '\r\n'), (items, picks, eol) => {
				const indexes = [...new Set(picks.filter((index) => index < items.length))];
				const text =
					`a: 1 # one\nmcpServers:\n${items.map((each) => `  ${each}\n`).join('')}z: # last\n  - 1\n`.replaceAll(
						'\n',
						eol,
					);
				const value = parse(text);
				const expected = {
					...value,
					mcpServers: value.mcpServers.filter((_: unknown, index: number) => !indexes.includes(index)),
				};
				expect(parse(removeYamlItems(text, 'mcpServers', indexes))).toEqual(expected);
			}),
			{ numRuns: 200 },
		);
	});
});

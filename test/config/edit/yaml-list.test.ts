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

	it('refuses a list in brackets', () => {
		expect(() => removeYamlItems('mcpServers: [{ name: a }]', 'mcpServers', [0])).toThrow(
			'is not a list with an item',
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

/* The JSON Schema of the configuration, which editors use, and the table of keys agree. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseJsonc } from '../../src/config/jsonc.ts';
import type { AnyKeys } from '../../src/config/key.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { emptyConfigurationText, newConfigurationText } from '../../src/config/new-configuration.ts';
import { sections } from '../../src/config/sections/sections.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');
const schema = JSON.parse(readFileSync(join(root, 'orchestra.schema.json'), 'utf8'));
const accepts = new Ajv2020({ allowUnionTypes: true }).compile(schema);

function problemsOf(value: unknown): string[] {
	const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify(value) });
	const environment = { HOME: cwd, ORCHESTRA_TRUST: 'all' };
	return loadConfiguration({ cwd, environment }).problems.map(({ key }) => key);
}

describe('orchestra.schema.json', () => {
	it('accepts what the documentation shows, and new files', () => {
		const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
		const [, shown = ''] = /```jsonc\n([^]*?)```/.exec(page) ?? [];
		for (const text of [
			shown,
			newConfigurationText(root, { a: 'stdio:cat' }),
			emptyConfigurationText(root),
		]) {
			expect(accepts(parseJsonc(text, 'x').value)).toBe(true);
		}
	});

	it.each([
		{ limits: { requestMs: 'soon' } },
		{ limit: {} },
		{ pin: 'on' },
		{ hub: { httpAddr: 'nowhere' } },
		{ tools: { timeouts: { a: 0 } } },
		{ views: { a: { alow: [] } } },
		{ policy: [{ tools: 'a' }] },
		{ mcpServers: { a: { command: 'x', scope: 'all' } } },
		{ mcpServers: { a: { command: 'x', startMs: -1 } } },
		{ fabric: { servers: ['tls://a'], name: 'a b' } },
		{ registries: [{ name: 'a' }] },
	])('refuses what the reader refuses: %j', (value) => {
		expect(accepts(value)).toBe(false);
		expect(problemsOf(value)).not.toEqual([]);
	});

	it.each([
		{ pin: 'hold' },
		{ mcpServers: { a: { command: 'x', pin: 'tell', unknownToUs: 1 } } },
		{ tools: { sandbox: true, sandboxes: { a: { network: true } } } },
		{ policy: [{ tools: ['a'], action: 'ask', when: { readOnly: false } }] },
	])('accepts what the reader accepts: %j', (value) => {
		expect(accepts(value)).toBe(true);
		expect(problemsOf(value)).toEqual([]);
	});

	it('describes every key of the table, and has no other', () => {
		const described = (each: unknown, keys: AnyKeys): void => {
			const { properties } = each as { properties: Record<string, { description?: string }> };
			expect(Object.keys(properties).filter((name) => name !== '$schema')).toEqual(Object.keys(keys));
			for (const name of Object.keys(keys)) expect(properties[name]?.description).toMatch(/\w/);
			for (const [name, { members, isDivided }] of Object.entries(keys))
				if (members && isDivided) described(properties[name], members);
		};
		described(schema, sections);
	});
});

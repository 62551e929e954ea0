import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadedConfiguration, loadConfiguration } from '../../../src/config/load.ts';
import { redact } from '../../../src/redact.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const url = 'http://127.0.0.1:11434/v1';

describe('the section search', () => {
	it('has no embeddings unless they are written', () => {
		expect(load({}).configuration.search.embeddings).toBeUndefined();
		expect(load({ search: {} }).configuration.search.embeddings).toBeUndefined();
	});

	it('keeps a secret reference as one, and hides a plain key', () => {
		const { configuration, problems } = load({
			search: { embeddings: { url, model: 'm', key: '${file:~/key}' } },
		});
		expect(problems).toEqual([]);
		expect(configuration.search.embeddings).toMatchObject({
			url,
			model: 'm',
			key: { parts: [{ kind: 'file', argument: '~/key' }] },
		});
		load({ search: { embeddings: { url, model: 'm', key: 'plain-key-48151' } } });
		expect(redact('the key plain-key-48151')).not.toContain('48151');
	});

	it.each([
		[{ model: 'm' }, 'search.embeddings.url'],
		[{ url }, 'search.embeddings.model'],
		[{ url: 'ftp://a/', model: 'm' }, 'search.embeddings.url'],
		[{ url: 'https://user:pw@a.example/', model: 'm' }, 'search.embeddings.url'],
		[{ url: 'https://a.example/?key=1', model: 'm' }, 'search.embeddings.url'],
		[{ url, model: 'm', secret: 'x' }, 'search.embeddings.secret'],
	])('%j is reported with its key, and nothing is sent anywhere', (embeddings, key) => {
		const { configuration, problems } = load({ search: { embeddings } });
		expect(configuration.search.embeddings).toBeUndefined();
		expect(problems.map((problem) => problem.key)).toEqual([key]);
	});

	it('of a project that is not trusted is blocked', () => {
		const { configuration, blocked } = load({ search: { embeddings: { url, model: 'm' } } }, {});
		expect(configuration.search.embeddings).toBeUndefined();
		expect(blocked[0]?.effects.map(({ name, isBlocked }) => [name, isBlocked])).toEqual([
			['search.embeddings', true],
		]);
	});
});

function load(
	content: object,
	environment: Record<string, string> = { ORCHESTRA_TRUST: 'all' },
): LoadedConfiguration {
	const cwd = writeFiles(temporaryFolder(), { 'orchestra.json': JSON.stringify(content) });
	return loadConfiguration({ cwd, environment: { HOME: join(cwd, 'home'), ...environment } });
}

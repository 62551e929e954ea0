import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stem } from '../../src/search/stem.ts';

describe('stem', () => {
	it.each([
		['migrate', 'migrates', 'migrated', 'migrating', 'migration', 'migrations', 'migrator'],
		['cache', 'caches', 'cached', 'caching'],
		['query', 'queries', 'querying'],
		['retry', 'retries', 'retried', 'retrying'],
		['connect', 'connection', 'connections', 'connected', 'connecting'],
		['validate', 'validation', 'validator', 'validating'],
		['deploy', 'deployment', 'deploys', 'deployed'],
		['plan', 'planning', 'planned', 'plans', 'planner'],
		['optimise', 'optimize', 'optimising', 'optimizer', 'optimisation', 'optimization'],
		['document', 'documents', 'documenting', 'documentation'],
		['automate', 'automatic', 'automatically', 'automation'],
		['persist', 'persistent', 'persistence', 'persisting'],
		['cancel', 'cancels', 'cancelled', 'cancelling'],
		['configure', 'configuration', 'configuring'],
	])('gives the forms of %s one stem', (...forms) => {
		expect(new Set(forms.map(stem)).size).toBe(1);
	});

	it.each([
		['format', 'form'],
		['server', 'service'],
		['user', 'use'],
		['test', 'text'],
		['status', 'state'],
		['process', 'procedure'],
	])('keeps %s and %s apart', (one, other) => {
		expect(stem(one)).not.toBe(stem(other));
	});

	it('leaves short words, numbers and other scripts alone', () => {
		expect(['is', 'as', '2026', 'c++', 'größe'].map(stem)).toEqual(['is', 'as', '2026', 'c++', 'größe']);
	});

	it('never empties a word and never makes it longer', () => {
		fc.assert(
			fc.property(fc.stringMatching(/^[a-z]{1,20}$/), (word) => {
				expect(stem(word).length).toBeGreaterThan(0);
				expect(stem(word).length).toBeLessThanOrEqual(word.length);
			}),
		);
	});
});

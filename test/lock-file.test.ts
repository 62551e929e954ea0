import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Entry {
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
	resolved?: string;
}

const file = resolve(import.meta.dirname, '../package-lock.json');
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> };

describe('package-lock.json', () => {
	it('has the binaries of every platform, without which npm ci refuses it', () => {
		const missing = Object.entries(packages).flatMap(([path, entry]) =>
			Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
				.filter((name) => !isLocked(path, name))
				.map((name) => `${name} of ${path || 'the package'}`),
		);
		expect(missing).toEqual([]);
	});

	it('names no registry', () => {
		expect(Object.keys(packages).filter((path) => packages[path]?.resolved !== undefined)).toEqual([]);
	});
});

/** Whether Node.js finds the package from that folder: beside it, or beside one of those above. */
function isLocked(path: string, name: string): boolean {
	const beside = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
	if (beside in packages) return true;
	if (path === '') return false;
	const above = path.lastIndexOf('node_modules/');
	return isLocked(path.slice(0, Math.max(0, above - 1)), name);
}

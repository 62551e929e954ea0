import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadedConfiguration, loadConfiguration } from '../../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const server = 'tls://nats.example:4222';

describe('the section fabric', () => {
	it('is absent unless it is written', () => {
		expect(load({}).configuration.fabric).toBeUndefined();
	});

	it('has the name as its group, and keeps a secret reference as one', () => {
		const fabric = {
			servers: [server],
			name: 'gpu-box',
			credentials: '${file:~/nats.nk}',
			offer: ['images__*'],
		};
		const { configuration, problems } = load({ fabric });
		expect(problems).toEqual([]);
		expect(configuration.fabric).toMatchObject({
			servers: [server],
			name: 'gpu-box',
			group: 'gpu-box',
			offer: ['images__*'],
		});
		expect(configuration.fabric?.credentials).toMatchObject({
			parts: [{ kind: 'file', argument: '~/nats.nk' }],
		});
	});

	it.each([
		[{ name: 'a' }, 'fabric.servers'],
		[{ servers: [], name: 'a' }, 'fabric.servers'],
		[{ servers: [server] }, 'fabric.name'],
		[{ servers: [server], name: 'a.b' }, 'fabric.name'],
		[{ servers: [server], name: 'a__b' }, 'fabric.name'],
		[{ servers: [server], name: 'a', group: '*' }, 'fabric.group'],
		[{ servers: [server], name: 'a', offers: ['x'] }, 'fabric.offers'],
	])('%j is reported with its key, and nothing joins a fabric', (fabric, key) => {
		const { configuration, problems } = load({ fabric });
		expect(configuration.fabric).toBeUndefined();
		expect(problems.map((problem) => problem.key)).toEqual([key]);
	});

	it('of a project that is not trusted is blocked', () => {
		const { configuration, blocked } = load({ fabric: { servers: [server], name: 'a', offer: ['*'] } }, {});
		expect(configuration.fabric).toBeUndefined();
		expect(blocked[0]?.effects.map(({ name, isBlocked }) => [name, isBlocked])).toContainEqual([
			'fabric.offer',
			true,
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

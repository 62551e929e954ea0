/* The client of a registry, against servers on this machine: good ones, slow ones, broken ones and hostile ones. */
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { RegistryClient } from '../../src/registry/registry-client.ts';
import { PAGE_LIMIT } from '../../src/registry/registry-limits.ts';
import { serveRaw } from '../support/http-server.ts';
import { npmPackage, startRegistry } from '../support/registry-server.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('a registry', () => {
	it('is searched by each word, over pages, best first', async () => {
		const registry = await startRegistry(
			...Array.from({ length: 60 }, (_, at) => ({ name: `io.github.acme/notes-${at}`, version: '1.0.0' })),
			{ name: 'io.github.acme/notes-calendar', version: '1.0.0' },
		);
		const { client } = clientOf(registry.url);
		const { servers, isCut } = await client.search(['notes', 'calendar']);
		expect(servers).toHaveLength(61);
		expect(servers[0]?.name).toBe('io.github.acme/notes-calendar');
		expect(isCut).toBe(false);
	});

	it('gives one entry by its name, which is encoded', async () => {
		const registry = await startRegistry({
			name: 'io.github.acme/notes',
			version: '2.1.0',
			packages: [npmPackage('@acme/notes', '2.1.0')],
		});
		const { client } = clientOf(registry.url);
		const server = await client.server('io.github.acme/notes');
		expect(server).toMatchObject({
			version: '2.1.0',
			status: 'active',
			packages: [{ identifier: '@acme/notes', transport: 'stdio' }],
		});
		expect(registry.received[0]?.path).toBe('/v0.1/servers/io.github.acme%2Fnotes/versions/latest');
		await expect(client.server('io.github.acme/none')).rejects.toMatchObject({ code: 'not_found' });
	});

	it('says that an entry was deleted, and leaves it out of searches', async () => {
		const registry = await startRegistry({ name: 'io.github.acme/gone', version: '1.0.0' });
		registry.status.set('io.github.acme/gone', { status: 'deleted', statusMessage: 'malware' });
		const { client } = clientOf(registry.url);
		await expect(client.server('io.github.acme/gone')).rejects.toThrow(
			'has deleted ("malware") io.github.acme/gone',
		);
		expect((await client.search(['gone'])).servers).toEqual([]);
	});

	it('is not asked twice within the hour, and its old answers stand in when it is down', async () => {
		const registry = await startRegistry({ name: 'a/b', version: '1.0.0' });
		const state = temporaryFolder();
		await clientOf(registry.url, state).client.server('a/b');
		await clientOf(registry.url, state).client.server('a/b');
		expect(registry.received).toHaveLength(1);
		await registry.stop();
		const later = clientOf(registry.url, state, 7_200_000);
		expect((await later.client.server('a/b')).version).toBe('1.0.0');
		expect(later.notes[0]).toMatch(/did not answer .*this is its answer of \d{4}-/);
		await expect(clientOf(registry.url).client.server('a/b')).rejects.toMatchObject({ code: 'io' });
	});

	it('is asked again after 429 and 503, a bounded number of times', async () => {
		let count = 0;
		const flaky = await serveRaw((_, response) => {
			count++;
			if (count < 3) return response.writeHead(count === 1 ? 429 : 503).end();
			return response.end(JSON.stringify({ server: { name: 'a/b', version: '1' } }));
		});
		expect((await clientOf(flaky.url).client.server('a/b')).name).toBe('a/b');
		const down = await serveRaw((_, response) => response.writeHead(503).end());
		await expect(clientOf(down.url).client.server('a/b')).rejects.toThrow('answered with status 503');
		expect(down.received).toHaveLength(3);
	});

	it('with endless pages is left after a bounded number, and with a cursor that repeats at once', async () => {
		let page = 0;
		const endless = await serveRaw((_, response) =>
			response.end(JSON.stringify({ servers: [], metadata: { nextCursor: `c${page++}` } })),
		);
		expect((await clientOf(endless.url).client.search(['x'])).isCut).toBe(true);
		expect(endless.received).toHaveLength(PAGE_LIMIT);
		const same = await serveRaw((_, response) =>
			response.end('{"servers":[],"metadata":{"nextCursor":"c"}}'),
		);
		await clientOf(same.url).client.search(['x']);
		expect(same.received).toHaveLength(2);
	});

	it('with an answer of 100 MB is left at the limit', async () => {
		const part = Buffer.alloc(1024 * 1024, ' ');
		let sent = 0;
		const huge = await serveRaw((_, response) => {
			const more = (): void => {
				if (sent < 100 * part.length && !response.destroyed) {
					sent += part.length;
					response.write(part, more);
				} else response.end();
			};
			more();
		});
		await expect(clientOf(huge.url).client.server('a/b')).rejects.toThrow('larger than');
		expect(sent).toBeLessThan(20 * part.length);
	});

	it.each([
		['no JSON', '<html>', 'something other than JSON'],
		['a list', '[]', 'must be an object'],
		['a number as a name', '{"server":{"name":7,"version":"1"}}', 'server.name must be'],
		['a path as a name', '{"server":{"name":"../../etc","version":"1"}}', 'server.name must be'],
		['folders as a name', '{"server":{"name":"../..","version":"1"}}', 'server.name must be'],
		['a command as a name', '{"server":{"name":"a/$(id)","version":"1"}}', 'server.name must be'],
		[
			'a command as the name of a variable',
			'{"server":{"name":"a/b","version":"1","packages":[{"registryType":"npm","identifier":"x","environmentVariables":[{"name":"A=1;id"}]}]}}',
			'the name of a variable or header',
		],
		['another server', '{"server":{"name":"evil/b","version":"1"}}', 'in place of a/b'],
		['a range as a version', '{"server":{"name":"a/b","version":"^1"}}', 'one version, not a range'],
		[
			'packages that are no list',
			'{"server":{"name":"a/b","version":"1","packages":{"a":1}}}',
			'server.packages must be a list',
		],
		[
			'an argument without a name',
			'{"server":{"name":"a/b","version":"1","packages":[{"registryType":"npm","identifier":"x","packageArguments":[{"type":"named"}]}]}}',
			'must be the flag',
		],
		[
			'a secret reference',
			'{"server":{"name":"a/b","version":"1","packages":[{"registryType":"npm","identifier":"x","environmentVariables":[{"name":"A","value":"${cmd:id}"}]}]}}',
			'must be a text without ${…}',
		],
		[
			'a control character',
			'{"server":{"name":"a/b","version":"1","description":"\\u001b[2J"}}',
			'without control characters',
		],
	])('that sends %s is refused with the reason', async (_, body, reason) => {
		const server = await serveRaw((_request, response) => response.end(body));
		const failure = await clientOf(server.url)
			.client.server('a/b')
			.catch((error: unknown) => error);
		expect(OrchestraError.is(failure)).toBe(true);
		expect(String(failure)).toContain(reason);
	});

	it.each(['{"servers":"x"}', '"x"', '7'])(
		'that answers a search with %s is said to have no list',
		async (body) => {
			const server = await serveRaw((_request, response) => response.end(body));
			await expect(clientOf(server.url).client.search(['notes'])).rejects.toThrow(
				'without a list of servers',
			);
		},
	);

	it('that refuses a word is quoted, and is not asked for a short word beside a long one', async () => {
		const strict = await serveRaw(({ path }, response) => {
			const search = new URL(path, 'http://registry').searchParams.get('search') ?? '';
			if (search.length >= 3) return response.end('{"servers":[]}');
			return response.writeHead(422).end('{"detail":"search must contain at least 3\\u001b[2J characters"}');
		});
		const { client } = clientOf(strict.url);
		await expect(client.search(['db'])).rejects.toThrow(
			'answered with status 422: search must contain at least 3\\x1b[2J characters',
		);
		expect((await client.search(['db', 'postgres'])).servers).toEqual([]);
		expect(strict.received.map(({ path }) => path)).toHaveLength(2);
	});

	it('may not redirect to another origin', async () => {
		const other = await serveRaw((_, response) => response.end('{}'));
		const server = await serveRaw((_, response) =>
			response.writeHead(302, { location: `${other.url}/x` }).end(),
		);
		await expect(clientOf(server.url).client.server('a/b')).rejects.toThrow('status 302');
		expect(other.received).toEqual([]);
	});

	it('of an older schema is read too', async () => {
		const old = {
			name: 'a/b',
			version_detail: { version: '1.2.3' },
			packages: [
				{
					registry_type: 'npm',
					identifier: 'x',
					version: '1.2.3',
					environment_variables: [{ name: 'K', is_required: true, is_secret: true }],
				},
			],
		};
		const server = await serveRaw((_, response) => response.end(JSON.stringify(old)));
		const record = await clientOf(server.url).client.server('a/b');
		expect(record.version).toBe('1.2.3');
		expect(record.packages[0]?.environmentVariables).toMatchObject([
			{ name: 'K', isRequired: true, isSecret: true },
		]);
	});
});

function clientOf(
	url: string,
	state: string = temporaryFolder(),
	laterMs = 0,
): { client: RegistryClient; notes: string[] } {
	const notes: string[] = [];
	const environment = { XDG_STATE_HOME: state, HOME: state };
	const options = {
		environment,
		info: (text: string) => void notes.push(text),
		now: () => Date.now() + laterMs,
	};
	return { client: new RegistryClient({ name: 'test', url }, options), notes };
}

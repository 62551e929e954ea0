/* Entries that lead back to their own hub through a shell or another hub: refused, so the catalogue does not grow. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HubFolder } from '../../../src/hub/shared/hub-folder.ts';
import { firstOf, runsAllTests } from '../../support/all-tests.ts';
import { HttpCaller } from '../../support/http-caller.ts';
import { type HubPlace, openHubPlace } from '../../support/hub-place.ts';
import { mctl } from '../../support/mctl.ts';
import { natsServer, startNats } from '../../support/nats-server.ts';
import { configuredFolder } from '../../support/plugins.ts';
import { until } from '../../support/waiting.ts';

const root = join(import.meta.dirname, '../../..');
const main = join(root, 'dist/cli/main.js');
const server = { command: process.execPath, args: [join(root, 'test/fixtures/mcp-server.mjs')] };
const REFUSED = 'was started by the hub of';

/** An entry that runs `mctl` through a shell. */
function shell(command: string, folder = '.'): object {
	const args = ['-c', `cd ${folder} && exec '${process.execPath}' '${main}' ${command}`];
	// biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration expands it
	const env = { XDG_STATE_HOME: '${XDG_STATE_HOME:-}', ORCHESTRA_TRUST: 'all' };
	return { command: '/bin/sh', args, env };
}

const servers = (loop: object): object => ({ mcpServers: { loop, plain: server } });

describe('a server that is a bridge to this hub through a shell', () => {
	it('is refused by the bridge, and the tools of others stay', async () => {
		const place = openHubPlace(servers(shell('bridge')));
		const { client, ready } = place.bridge();
		await ready();
		await client.call(2, 'tools/list', {});
		await until('the bridge of the hub is refused', () => hubLog(place).includes(REFUSED));
		const { result } = await client.call(3, 'tools/list', {});
		expect([hasTools(result, 'plain__'), hasTools(result, 'loop__')]).toEqual([true, false]);
	});

	it.each(firstOf(['serve', 'bridge']))(
		'is refused under mctl serve too: %s',
		async (word) => {
			const place = configuredFolder(servers(shell(word)));
			const client = await place.open();
			await client.request('tools/list');
			await until('it is refused', () => place.stderr().includes(REFUSED));
			const names = JSON.stringify(await client.request('tools/list'));
			expect(names).toContain('"plain__');
			expect(names).not.toContain('"loop__');
		},
		60_000,
	);

	it('is refused by the hub when it names the address of the hub', async () => {
		const place = openHubPlace({ hub: { listenAddr: 'localhost:0' }, ...servers(server) });
		await place.start();
		const address = place.folder.running()?.networkAddress ?? '';
		writeFileSync(
			join(place.cwd, 'orchestra.json'),
			JSON.stringify({
				hub: { listenAddr: 'localhost:0' },
				...servers(shell(`bridge --orchestrator-addr ${address}`)),
			}),
		);
		const { client, ready } = place.bridge();
		await ready();
		await until('the hub has the new entry', async () => {
			const { result } = await client.call(Math.floor(performance.now()), 'tools/list', {});
			return hasTools(result, 'plain__') && !hasTools(result, 'loop__');
		});
		await until('the hub refuses it', () => hubLog(place).includes('refused this bridge'));
	});

	it('is refused when it is the URL of the hub', async () => {
		const place = openHubPlace(servers(server));
		const { stdout } = await place.run('hub', 'start', '--http', '--json');
		const { httpUrl } = JSON.parse(stdout) as { httpUrl: string };
		const token = (await place.run('hub', 'token')).stdout.trim();
		const loop = { type: 'http', url: httpUrl, headers: { Authorization: `Bearer ${token}` } };
		writeFileSync(join(place.cwd, 'orchestra.json'), JSON.stringify(servers(loop)));
		const { client, ready } = place.bridge();
		await ready();
		await until('the hub has the new entry', async () => {
			const { result } = await client.call(Math.floor(performance.now()), 'tools/list', {});
			return hasTools(result, 'plain__') && !hasTools(result, 'loop__');
		});
		const failed = async (): Promise<boolean> =>
			(await place.run('list', 'servers', '--json')).stdout.includes('an entry of this hub itself');
		await until('it is refused', failed);
	});

	it.runIf(runsAllTests)('is refused for clients over HTTP', async () => {
		const place = openHubPlace(servers(shell('bridge')));
		const { stdout } = await place.run('hub', 'start', '--http', '--json');
		const { httpUrl } = JSON.parse(stdout) as { httpUrl: string };
		const token = (await place.run('hub', 'token')).stdout.trim();
		const caller = await HttpCaller.connect(new URL(httpUrl).origin, token, 'test');
		await caller.listTools();
		await until('it is refused', () => hubLog(place).includes(REFUSED));
		const text = await caller.listTools();
		expect(text).toContain('"plain__');
		expect(text).not.toContain('"loop__');
	});
});

describe('two hubs that have a bridge to each other', () => {
	it('do not see their own tools through the other', async () => {
		const place = openHubPlace(servers(shell('bridge', '../other')));
		const other = join(place.home, 'other');
		mkdirSync(other);
		writeFileSync(join(other, 'orchestra.json'), JSON.stringify(servers(shell('bridge', '../work'))));
		const { client, ready } = place.bridge();
		await ready();
		let last: unknown;
		await until('the tools of the other hub are there', async () => {
			const { result } = await client.call(Math.floor(performance.now()), 'tools/list', {});
			last = result;
			return hasTools(result, 'loop__plain__');
		});
		await until('the way back is refused', () => logsOf(place).includes(REFUSED));
		expect(hasTools(last, 'loop__loop__')).toBe(false);
	});
});

describe.runIf(runsAllTests)('two hubs that use each other by URL', () => {
	it('see the tools of the other, and not their own through it', async () => {
		const [one, two] = [openHubPlace(servers(server)), openHubPlace(servers(server))];
		const links = await Promise.all([one, two].map(httpEntry));
		writeFileSync(join(one.cwd, 'orchestra.json'), JSON.stringify(servers(links[1] ?? {})));
		writeFileSync(join(two.cwd, 'orchestra.json'), JSON.stringify(servers(links[0] ?? {})));
		await expectOtherTools([one, two]);
	});
});

describe.runIf(runsAllTests)('two hubs whose bridges to each other start at the same moment', () => {
	it('see the tools of the other, and not their own through it', async () => {
		const place = openHubPlace({ hub: { listenAddr: 'localhost:0' }, ...servers(server) });
		const cwd = join(place.home, 'other');
		mkdirSync(cwd);
		writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ hub: { listenAddr: 'localhost:0' } }));
		const other = { ...place, cwd, run: (...args: string[]) => mctl(args, { cwd, env: place.env }) };
		const addresses = await Promise.all(
			[place, other].map(async ({ run, env, ...at }) => {
				await run('hub', 'start');
				return new HubFolder(at.cwd, env).running()?.networkAddress ?? '';
			}),
		);
		// Both bridges wait for the same moment. Neither was started by the other hub.
		const start = join(place.home, 'start');
		for (const [at, own] of [place, other].entries()) {
			const address = addresses[1 - at] ?? '';
			const wait = `: >'${start}-${at}'; while [ ! -e '${start}' ]; do sleep 0.02; done; exec '${process.execPath}' '${main}'`;
			const args = ['-c', `${wait} bridge --orchestrator-addr ${address}`];
			const loop = { command: '/bin/sh', args, env: place.env, eager: true };
			const hub = { listenAddr: 'localhost:0' };
			writeFileSync(join(own.cwd, 'orchestra.json'), JSON.stringify({ hub, ...servers(loop) }));
		}
		const bothWait = until('both bridges wait', () => [0, 1].every((at) => existsSync(`${start}-${at}`)));
		await Promise.all([bothWait.then(() => writeFileSync(start, '')), expectOtherTools([place, other])]);
	});
});

describe.skipIf(natsServer === undefined)(
	'a worker of the fabric that has a bridge to the hub that uses it',
	() => {
		it.runIf(runsAllTests)('does not offer the tools of that hub to it', async () => {
			const fabric = { servers: [(await startNats()).url], pin: 'off' };
			const place = openHubPlace({ fabric: { ...fabric, name: 'user', use: ['*'] }, ...servers(server) });
			await place.start();
			const cwd = join(place.home, 'other');
			mkdirSync(cwd);
			const offer = {
				fabric: { ...fabric, name: 'box', offer: ['*'], use: [] },
				...servers(shell('bridge', '../work')),
			};
			writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify(offer));
			const worker = await mctl(['hub', 'start'], { cwd, env: place.env });
			expect(worker.code).toBe(0);
			const { client, ready } = place.bridge();
			await ready();
			const names = async (): Promise<string[]> =>
				namesIn((await client.call(performance.now(), 'tools/list', {})).result);
			const isOffered = async (): Promise<boolean> =>
				(await names()).some((name) => name.startsWith('box__plain__'));
			await until('the worker offers its own tools', isOffered);
			await until('those of this hub are left out', () => hubLog(place).includes(LEFT_OUT));
			expect((await names()).filter((name) => name.startsWith('box__loop__'))).toEqual([]);
		});
	},
);

const LEFT_OUT = 'came through this hub itself';

/** Both hubs list the tools of the other, and nothing that went in a circle. */
async function expectOtherTools(places: readonly Pick<HubPlace, 'cwd' | 'env'>[]): Promise<void> {
	const lists: string[][] = [];
	for (const { cwd, env } of places) {
		const hasOther = async (): Promise<boolean> => {
			const { stdout } = await mctl(['list', 'tools', '--json'], { cwd, env });
			lists.push(namesIn(JSON.parse(stdout)));
			return lists.at(-1)?.some((name) => name.startsWith('loop__plain__')) === true;
		};
		await until('the tools of the other are listed', hasOther);
	}
	const logs = (): string =>
		places.map(({ cwd, env }) => readFileSync(join(new HubFolder(cwd, env).path, 'hub.log'), 'utf8')).join();
	await until('what went in a circle is left out', () => logs().includes(LEFT_OUT));
	expect(lists.flat().filter((name) => name.startsWith('loop__loop__'))).toEqual([]);
}

/** The entry of a hub over HTTP, which is started. */
async function httpEntry({ run }: HubPlace): Promise<object> {
	const { httpUrl } = JSON.parse((await run('hub', 'start', '--http', '--json')).stdout) as {
		httpUrl: string;
	};
	const token = (await run('hub', 'token')).stdout.trim();
	return { type: 'http', url: httpUrl, headers: { Authorization: `Bearer ${token}` } };
}

function namesIn(result: unknown): string[] {
	return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

function hasTools(result: unknown, prefix: string): boolean {
	return (result as { tools: { name: string }[] }).tools.some(({ name }) => name.startsWith(prefix));
}

function hubLog(place: HubPlace): string {
	return readFileSync(join(place.folder.path, 'hub.log'), 'utf8');
}

/** The logs of all hubs of this home. */
function logsOf({ folder }: HubPlace): string {
	const hubs = dirname(folder.path);
	return readdirSync(hubs)
		.map((name) => readFileSync(join(hubs, name, 'hub.log'), 'utf8'))
		.join('\n');
}

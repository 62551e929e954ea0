/*
 * The board and the alert rules of `examples/fabric` with a real Prometheus, which scrapes two
 * workers and a hub: every panel has data, and every alert fires in a staged failure and not
 * before it. Times in `for` are shortened to two seconds; the windows of the rules are as they are.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runsAllTests } from '../support/all-tests.ts';
import { atEnd } from '../support/at-end.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { startMctl } from '../support/mctl.ts';
import { freePort, type NatsServer, natsServer, startNats } from '../support/nats-server.ts';
import { manifestOf } from '../support/tool-folder.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const examples = resolve(import.meta.dirname, '../../examples/fabric');
const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;
const trusted = { ORCHESTRA_TRUST: 'all' };
const napTool = `import json, sys, time
request = json.loads(sys.stdin.readline())
def event(type, payload): print(json.dumps({"type": type, "ts": "2025-02-25T10:00:00.000Z", "toolId": "nap", "payload": payload}), flush=True)
event("start", {})
time.sleep(float(request["input"].get("seconds", 0)))
event("result", {"ok": True})
`;

describe.skipIf(natsServer === undefined || !hasPrometheus || !runsAllTests)('Prometheus', () => {
	it('has data for every panel of the board, and fires every alert in its failure', async () => {
		const stage = await openStage();
		const { prometheus, nats, hub, first, other } = stage;
		const alert = prometheus.fires;
		await until('all are scraped', async () => (await prometheus.query('up == 1')).length === 4);

		// A call that runs, calls that ran, and calls above a limit.
		const nap = hub.call('busy__nap', { seconds: 600 });
		await until(
			'it runs',
			async () => (await prometheus.query('orchestra_fabric_running_calls == 1')).length > 0,
		);
		expect(await prometheus.firing()).toEqual([]);
		for (let batch = 0; batch < 3; batch++) {
			await Promise.all(Array.from({ length: 40 }, () => hub.call('busy__nap')));
			await hub.call('spare__nap');
			await prometheus.scraped();
		}
		await alert('FabricCallsRefused', 'FabricCallsFail');
		for (const expression of panels())
			await until(
				`there is data for ${expression}`,
				async () => (await prometheus.query(expression)).length > 0,
			);

		// A worker that hangs, and refuses what has expired when it wakes.
		first.kill('SIGSTOP');
		expect(await hub.call('busy__nap')).toContain('outcome unknown');
		await alert('FabricMemberDown');
		first.kill('SIGCONT');
		await alert('FabricClocksDiffer');

		// A tool that changes.
		stage.describeTool('It does something else now');
		await alert('FabricToolsQuarantined');

		// A worker that is drained, and was the only one of its group.
		expect((await stage.near.run('fabric', 'drain', 'spare-1')).code).toBe(0);
		await alert('FabricDrainForgotten', 'FabricGroupWithoutWorkers');

		other.version = '0.0.1';
		await alert('FabricVersionsDiffer');

		for (let restart = 0; restart < 5; restart++) {
			await nats.kill();
			await nats.start();
			await until('the hub is connected again', () => isConnected(prometheus, restart + 2));
		}
		await alert('FabricLinkFlaps');
		await nats.kill();
		await alert('FabricLinkDown', 'FabricWorkerNotReady');

		expect(new Set(prometheus.fired)).toEqual(new Set(alerts()));
		void nap;
	}, 240_000);
});

async function isConnected(prometheus: Prometheus, connects: number): Promise<boolean> {
	const made = `orchestra_fabric_link_connects_total{orchestra_role="use"} >= ${connects}`;
	return (await prometheus.query(made)).length > 0;
}

/** The expressions of the board, with its variables. */
function panels(): string[] {
	const board = JSON.parse(readFileSync(join(examples, 'grafana.json'), 'utf8')) as {
		panels: { targets: { expr: string }[] }[];
	};
	return board.panels
		.flatMap(({ targets }) => targets.map(({ expr }) => expr))
		.map((expr) => expr.replaceAll('$job', '.+').replaceAll('$__rate_interval', '1m'));
}

interface Rules {
	groups: { rules: { alert: string; for?: string }[] }[];
}

function alerts(): string[] {
	const rules = parse(readFileSync(join(examples, 'alerts.yaml'), 'utf8')) as Rules;
	return rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert));
}

interface Stage {
	readonly prometheus: Prometheus;
	readonly nats: NatsServer;
	readonly near: HubPlace;
	readonly hub: { call(tool: string, input?: object): Promise<string> };
	/** The worker of the group `busy`. */
	readonly first: ChildProcess;
	/** A further member, of a version that can change. */
	readonly other: { version: string };
	/** Change the description of the tool of the group `busy`. */
	describeTool(description: string): void;
}

async function openStage(): Promise<Stage> {
	const nats = await startNats();
	const servers = [nats.url];
	const busy = await startWorker({ servers, name: 'busy-1', group: 'busy', limits: { perHub: 1 } });
	const spare = await startWorker({ servers, name: 'spare-1', group: 'spare' });
	const near = openHubPlace({
		fabric: { servers, name: 'near', use: ['*'], pin: 'quarantine' },
	});
	Object.assign(near.env, trusted);
	const started = await near.run('hub', 'start', '--http', '--json');
	const { httpUrl: http } = JSON.parse(started.stdout) as { httpUrl: string };
	const token = (await near.run('hub', 'token')).stdout.trim();
	const other = await startOther();
	const bridge = near.bridge();
	await bridge.ready();
	let id = 1;
	const call = async (name: string, input: object = {}): Promise<string> => {
		const mine = ++id;
		bridge.client.send({
			jsonrpc: '2.0',
			id: mine,
			method: 'tools/call',
			params: { name, arguments: input },
		});
		return bridge.client.answer(mine);
	};
	const prometheus = await startPrometheus([busy.http, spare.http, other.url], { url: http, token });
	return {
		prometheus,
		nats,
		near,
		hub: { call },
		first: busy.child,
		other,
		describeTool: (description) => writeFiles(busy.cwd, { 'tools/nap/manifest.json': manifest(description) }),
	};
}

function manifest(description: string): string {
	return manifestOf('nap', { command: ['python3', 'main.py'], description });
}

async function startWorker(fabric: object): Promise<{ child: ChildProcess; http: string; cwd: string }> {
	const place = openHubPlace(
		{ fabric: { ...fabric, httpAddr: '127.0.0.1:0' }, tools: { roots: ['./tools'] } },
		{ 'work/tools/nap/manifest.json': manifest('It naps'), 'work/tools/nap/main.py': napTool },
	);
	const child = startMctl(['worker', '--json'], { cwd: place.cwd, env: { ...place.env, ...trusted } });
	atEnd(() => child.kill('SIGKILL'));
	const [line] = await once(child.stdout, 'data');
	const { http } = JSON.parse(String(line)) as { http: string };
	return { child, http, cwd: place.cwd };
}

/** A member that has only a version. */
async function startOther(): Promise<{ url: string; version: string }> {
	const other = { url: '', version: '' };
	const server = createServer((_request, response) => {
		response.end(
			other.version === ''
				? ''
				: `# TYPE orchestra_info gauge\norchestra_info{version="${other.version}"} 1\n`,
		);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	atEnd(() => void server.close());
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no port');
	other.url = `http://127.0.0.1:${address.port}/`;
	return other;
}

class Prometheus {
	readonly #url: string;
	/** Alerts that have fired. */
	readonly fired: string[] = [];

	constructor(url: string) {
		this.#url = url;
	}

	/** The series of an expression. */
	async query(expression: string): Promise<{ metric: Record<string, string> }[]> {
		const answer = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expression)}`);
		const { status, data, error } = (await answer.json()) as {
			status: string;
			data: { result: { metric: Record<string, string>; value: [number, string] }[] };
			error?: string;
		};
		if (status !== 'success') throw new Error(`${expression}: ${error}`);
		return data.result.filter(({ value }) => value[1] !== 'NaN');
	}

	async firing(): Promise<string[]> {
		const series = await this.query('ALERTS{alertstate="firing"}');
		return [...new Set(series.map(({ metric }) => metric['alertname'] ?? ''))];
	}

	/** Wait until these fire, which did not fire before. */
	readonly fires = async (...names: string[]): Promise<void> => {
		const expected = new Set([...this.fired, ...names]);
		await until(`${names.join(' and ')} fire`, async () => {
			const firing = await this.firing();
			expect(firing.filter((name) => !expected.has(name))).toEqual([]);
			return names.every((name) => firing.includes(name));
		});
		this.fired.push(...names);
	};

	/** Wait until everything has been scraped again. */
	async scraped(): Promise<void> {
		const since = Date.now() / 1000;
		await until(
			'all are scraped again',
			async () => (await this.query(`timestamp(up) > ${since}`)).length === 4,
		);
	}
}

async function startPrometheus(
	urls: readonly string[],
	hub: { url: string; token: string },
): Promise<Prometheus> {
	const folder = temporaryFolder();
	const port = await freePort();
	const hosts = (each: readonly string[]): string => JSON.stringify(each.map((url) => new URL(url).host));
	const rules = readFileSync(join(examples, 'alerts.yaml'), 'utf8').replaceAll(/for: \w+/g, 'for: 2s');
	writeFileSync(join(folder, 'alerts.yaml'), rules);
	const jobs = [
		`{ job_name: orchestra, static_configs: [{ targets: ${hosts(urls)} }] }`,
		`{ job_name: hub, authorization: { credentials: ${JSON.stringify(hub.token)} }, static_configs: [{ targets: ${hosts([hub.url])}, labels: { job: orchestra } }] }`,
	];
	const text = `global: { scrape_interval: 1s, evaluation_interval: 1s }\nrule_files: [alerts.yaml]\nscrape_configs: [${jobs.join(', ')}]\n`;
	writeFileSync(join(folder, 'prometheus.yml'), text);
	const args = [
		`--config.file=${join(folder, 'prometheus.yml')}`,
		`--storage.tsdb.path=${join(folder, 'data')}`,
		`--web.listen-address=127.0.0.1:${port}`,
	];
	const child = spawn('prometheus', args, { stdio: 'ignore' });
	atEnd(() => child.kill('SIGKILL'));
	const url = `http://127.0.0.1:${port}`;
	await until('Prometheus is ready', async () => {
		const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
		return answer?.ok === true;
	});
	return new Prometheus(url);
}

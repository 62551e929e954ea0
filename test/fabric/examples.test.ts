/* The files of `examples/fabric`: what they name exists, and the programs that read them accept them. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { main } from '../support/mctl.ts';
import { temporaryFolder } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'examples/fabric');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe('the examples of the fabric', () => {
	it('name metrics that are documented, in the alert rules and on the board', () => {
		const documented = readFileSync(join(root, 'docs/observability.md'), 'utf8');
		const known = new Set(
			documented
				.replaceAll(/(\w+)\{([\w,]+)\}(\w+)/g, (_all, before: string, middle: string, after: string) =>
					middle
						.split(',')
						.map((part) => before + part + after)
						.join(' '),
				)
				.match(/\w+/g),
		);
		const board = JSON.parse(read('grafana.json')) as { panels: { targets: { expr: string }[] }[] };
		const rules = parse(read('alerts.yaml')) as { groups: { rules: { expr: string }[] }[] };
		const expressions = [
			...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
			...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
		];
		const named = expressions.flatMap(
			(expr) =>
				expr.match(
					/\b(?:orchestra_fabric|orchestra_[a-z]+_total|mcp|nodejs|orchestra_info)\w*(?=[{[ ]|$)/g,
				) ?? [],
		);
		expect(new Set(named).size).toBeGreaterThan(10);
		const unknown = named.filter((name) => !known.has(name.replace(/_(?:bucket|count|sum)$/, '')));
		expect(unknown).toEqual([]);
	});

	it.skipIf(!hasPromtool)('have alert rules that Prometheus accepts, and their tests pass', () => {
		expect(spawnSync('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: folder }).status).toBe(0);
		expect(spawnSync('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: folder }).status).toBe(0);
	});

	it.skipIf(!hasSystemd)('have units that systemd accepts', () => {
		const place = temporaryFolder();
		const units = ['nats-server.service', 'orchestra-worker.service'];
		// The programs are not installed here.
		for (const unit of units)
			writeFileSync(
				join(place, unit),
				read(unit).replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`),
			);
		const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map((unit) => `./${unit}`)], {
			cwd: place,
			encoding: 'utf8',
		});
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	});

	it('have a compose file whose volumes the script makes', () => {
		const place = temporaryFolder();
		for (const file of ['prepare.sh', 'compose.yaml']) cpSync(join(folder, file), join(place, file));
		const env = { ...process.env, MCTL: `${process.execPath} ${main}` };
		const prepared = (): number | null => spawnSync('sh', [join(place, 'prepare.sh')], { env }).status;
		expect(prepared()).toBe(0);
		const { services } = parse(read('compose.yaml'), { merge: true }) as {
			services: Record<string, { image: string; volumes?: string[]; healthcheck?: object }>;
		};
		// That of the image asks an HTTPS listener, which none of them has.
		const members = Object.values(services).filter(({ image }) => image === 'orchestra');
		expect(members.filter(({ healthcheck }) => healthcheck === undefined)).toEqual([]);
		const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
			volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':')[0] ?? ''),
		);
		expect(mounted).toHaveLength(11);
		expect(mounted.filter((path) => !existsSync(join(place, path)))).toEqual([]);
		const config = readFileSync(join(place, 'fabric/nats/nats-1/nats.conf'), 'utf8');
		// Again, as after an invitation: keys stay as they are.
		expect(prepared()).toBe(0);
		expect(readFileSync(join(place, 'fabric/nats/nats-1/nats.conf'), 'utf8')).toBe(config);
		for (const name of ['worker-1', 'hub'])
			expect(
				JSON.parse(readFileSync(join(place, `fabric/${name}/work/orchestra.json`), 'utf8')),
			).toMatchObject({
				fabric: { name },
			});
	}, 60_000);
});

function read(file: string): string {
	return readFileSync(join(folder, file), 'utf8');
}

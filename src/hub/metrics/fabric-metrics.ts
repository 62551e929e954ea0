/* The metrics of a hub about its fabric: its links, the workers that it sees, and the calls of other hubs here. */
import type { MetricRegistry } from '../../telemetry/metric-registry.ts';
import type { FabricLinkFacts, FabricOverview, WorkerOverview } from '../fabric-overview.ts';

/** Read whenever the metrics are; each is undefined without that side of the fabric. */
export interface FabricSides {
	readonly use: () => FabricOverview | undefined;
	readonly worker: () => WorkerOverview | undefined;
}

type Read = () => Iterable<readonly [Readonly<Record<string, string>>, number]>;
type Add = (kind: 'counter' | 'gauge', name: string, help: string, read: Read) => void;

export function addFabricMetrics(registry: MetricRegistry, sides: FabricSides): void {
	const add: Add = (kind, name, help, read) =>
		registry.observed({ name: `orchestra_fabric_${name}`, help }, kind, read);
	addLinks(add, sides);
	addWorkers(add, sides);
	addWorker(add, sides);
}

function addLinks(add: Add, sides: FabricSides): void {
	const links = (read: (link: FabricLinkFacts) => number): Read =>
		function* () {
			const [use, worker] = [sides.use(), sides.worker()];
			if (use) yield [{ orchestra_role: 'use' }, read(use.link)];
			if (worker) yield [{ orchestra_role: 'offer' }, read(worker.link)];
		};
	const about = 'Whether the NATS server answers: 1, or 0 when the link is down or suspect.';
	add('gauge', 'link_up', about, links(isUp));
	const [made, lost] = [
		'Connections to a NATS server that were made.',
		'Connections to a NATS server that were lost.',
	];
	add(
		'counter',
		'link_connects_total',
		made,
		links(({ connects }) => connects),
	);
	add(
		'counter',
		'link_losses_total',
		lost,
		links(({ losses }) => losses),
	);
}

function addWorkers(add: Add, sides: FabricSides): void {
	const groups = (): FabricOverview['groups'] => sides.use()?.groups ?? [];
	const about = 'Workers that this hub sees, by group, version and whether they are draining.';
	add('gauge', 'workers', about, () =>
		groups().flatMap(({ name, workers }) =>
			workers.map(({ isDraining, version }) => {
				const labels = {
					orchestra_group: name,
					orchestra_draining: String(isDraining),
					orchestra_version: version ?? '',
				};
				return [labels, 1] as const;
			}),
		),
	);
	add('gauge', 'drifted_tools', 'Tools of a group that are not as they were accepted.', () =>
		groups().map(({ name, drifted }) => [{ orchestra_group: name }, drifted]),
	);
	add('gauge', 'quarantined_tools', 'Tools of a group that are not listed until they are accepted.', () =>
		groups().map(({ name, quarantined }) => [{ orchestra_group: name }, quarantined]),
	);
	const failed = 'Calls of this hub to workers that did not run, or whose outcome or result is lost.';
	add('counter', 'failed_calls_total', failed, () =>
		Object.entries(sides.use()?.failed ?? {}).map(([outcome, count]) => [
			{ orchestra_outcome: outcome },
			count,
		]),
	);
}

function addWorker(add: Add, { worker }: Pick<FabricSides, 'worker'>): void {
	add('gauge', 'ready', 'Whether other hubs can call this one: 1 or 0.', () => one(worker()?.isReady));
	add('gauge', 'draining', 'Whether it finishes its calls and accepts no more: 1 or 0.', () =>
		one(worker()?.isDraining),
	);
	add('gauge', 'offered_tools', 'Tools that are offered to other hubs.', () => one(worker()?.tools));
	add('gauge', 'running_calls', 'Calls of other hubs that run here.', () =>
		labelled('orchestra_hub', worker()?.running),
	);
	add('counter', 'accepted_calls_total', 'Calls of other hubs that were accepted here.', () =>
		labelled('orchestra_hub', worker()?.accepted),
	);
	add('counter', 'refused_calls_total', 'Calls of other hubs that were refused here, by reason.', () =>
		labelled('orchestra_reason', worker()?.refused),
	);
}

function isUp({ state }: FabricLinkFacts): number {
	return Number(state === 'up');
}

function one(value: number | boolean | undefined): [Record<string, string>, number][] {
	return value === undefined ? [] : [[{}, Number(value)]];
}

function labelled(
	label: string,
	counts: ReadonlyMap<string, number> = new Map(),
): [Record<string, string>, number][] {
	return [...counts].map(([value, count]) => [{ [label]: value }, count]);
}

/* The metrics of a hub about its fabric: its links, the workers that it sees, and the calls of other hubs here. */
import type { MetricRegistry } from '../../telemetry/metric-registry.ts';
import type { FabricLinkFacts, FabricOverview, WorkerOverview } from '../fabric-overview.ts';

/** Read whenever the metrics are; each is undefined without that side of the fabric. */
export interface FabricSides {
	readonly use: () => FabricOverview | undefined;
	readonly worker: () => WorkerOverview | undefined;
}

type Read = () => Iterable<readonly [Readonly<Record<string, string>>, number]>;
type Add = (name: string, help: string, read: Read) => void;

export function addFabricMetrics(registry: MetricRegistry, sides: FabricSides): void {
	const add: Add = (name, help, read) => registry.observed(`orchestra_fabric_${name}`, help, read);
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
	const up = 'Whether the NATS server answers: 1, or 0 when the link is down or suspect.';
	const [connects, losses] = [links((link) => link.connects), links((link) => link.losses)];
	add(
		'link_up',
		up,
		links(({ state }) => Number(state === 'up')),
	);
	add('link_connects_total', 'Connections to a NATS server that were made.', connects);
	add('link_losses_total', 'Connections to a NATS server that were lost.', losses);
}

function addWorkers(add: Add, sides: FabricSides): void {
	const groups = (): FabricOverview['groups'] => sides.use()?.groups ?? [];
	add('workers', 'Workers that this hub sees, by group, version and whether they are draining.', () =>
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
	add('drifted_tools', 'Tools of a group that are not as they were accepted.', () =>
		groups().map(({ name, drifted }) => [{ orchestra_group: name }, drifted]),
	);
	add('quarantined_tools', 'Tools of a group that are not listed until they are accepted.', () =>
		groups().map(({ name, quarantined }) => [{ orchestra_group: name }, quarantined]),
	);
	const failed = 'Calls of this hub to workers that did not run, or whose outcome or result is lost.';
	add('failed_calls_total', failed, () => labelled('orchestra_outcome', sides.use()?.failed));
}

function addWorker(add: Add, { worker }: Pick<FabricSides, 'worker'>): void {
	const one = (read: (overview: WorkerOverview) => number | boolean): Read =>
		function* () {
			const overview = worker();
			if (overview) yield [{}, Number(read(overview))];
		};
	add(
		'ready',
		'Whether other hubs can call this one: 1 or 0.',
		one(({ isReady }) => isReady),
	);
	const draining = 'Whether it finishes its calls and accepts no more: 1 or 0.';
	add(
		'draining',
		draining,
		one(({ isDraining }) => isDraining),
	);
	add(
		'offered_tools',
		'Tools that are announced to other hubs.',
		one(({ tools }) => tools),
	);
	add('running_calls', 'Calls of other hubs that run here.', () =>
		labelled('orchestra_hub', worker()?.running),
	);
	add('accepted_calls_total', 'Calls of other hubs that were accepted here.', () =>
		labelled('orchestra_hub', worker()?.accepted),
	);
	add('refused_calls_total', 'Calls of other hubs that were refused here, by reason.', () =>
		labelled('orchestra_reason', worker()?.refused),
	);
}

function labelled(
	label: string,
	counts: Readonly<Record<string, number>> = {},
): [Record<string, string>, number][] {
	return Object.entries(counts).map(([value, count]) => [{ [label]: value }, count]);
}

/*
 * `mctl fabric status`: the servers, the workers and their tools, and the calls of this hub.
 *
 * It has a connection of its own. That of the running hub may be another one, so the hub
 * is queried too: for its links, and why calls failed.
 */
import type { FabricReport, GroupPinState } from '../../fabric/administration/fabric-report.ts';
import type { FabricFacts, FabricMember, FabricOverview } from '../../hub/fabric-overview.ts';
import { FABRIC_WATCH_MS } from '../cli-limits.ts';
import type { Command } from '../command.ts';
import type { Output } from '../terminal/output.ts';
import { formatCounted } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';
import { fabricSettings } from './fabric-settings.ts';
import { FAILURES_SHOWN, type RemoteCallCounts, remoteCalls } from './remote-call-counts.ts';
import { linkLines, runningFabric } from './running-fabric.ts';

/** Move to the first line and clear the rest. */
const CLEAR_SCREEN = '\u001B[H\u001B[J';

export const fabricStatus: Command = {
	usage: 'mctl fabric status [--watch] [--json]',
	examples: ['mctl fabric status', 'mctl fabric status --watch', 'mctl fabric status --json | jq .offers'],
	flags: {
		watch: { help: 'show it again every two seconds, until Ctrl-C' },
		json: { help: 'print one JSON object on stdout, with --watch one per line' },
	},

	async run(input) {
		const { flags, cwd, environment, signal, out } = input;
		const settings = fabricSettings({ cwd, environment });
		const { fabricReport, watchFabric } = await import('../../fabric/administration/fabric-report.ts');
		const show = (report: FabricReport, hub: FabricFacts | null): void => {
			const calls = remoteCalls({ cwd, environment });
			if (flags['json'])
				out.json({
					schema: 'orchestra.fabric/1',
					name: settings.name,
					servers: settings.servers,
					...report,
					...calls,
					hub,
				});
			else printStatus(settings.name, report, { calls, hub }, out);
		};
		if (flags['watch'] !== true) {
			const hub = runningFabric({ cwd, environment });
			return show(await fabricReport(settings, environment), await hub);
		}
		const isDrawn = out.isTerminal && out.hasLiveStderr && flags['json'] !== true;
		const onReport = async (report: FabricReport): Promise<boolean> => {
			const hub = await runningFabric({ cwd, environment });
			if (isDrawn) out.live(CLEAR_SCREEN);
			show(report, hub);
			if (!isDrawn && flags['json'] !== true) out.line();
			return !out.isClosed;
		};
		await watchFabric(settings, environment, { everyMs: FABRIC_WATCH_MS, signal, onReport });
	},
};

function printStatus(
	name: string,
	report: FabricReport,
	{ calls, hub }: { calls: RemoteCallCounts; hub: FabricFacts | null },
	out: Output,
): void {
	const { link, server, version, replicas, members, offers } = report;
	const cluster = report.cluster === null ? '' : `, cluster ${report.cluster}`;
	const copies = replicas === null ? '' : `, ${formatCounted(replicas, 'replica')}`;
	out.line(
		link.state === 'down'
			? `No NATS server answers ${name}: ${link.reason}`
			: `${server} answers ${name} (nats-server ${version}${cluster}${copies})`,
	);
	if (link.state === 'suspect') out.line(`It is suspect: ${link.reason}`);
	for (const { text } of linkLines(hub)) out.line(`${text[0]?.toUpperCase()}${text.slice(1)}`);
	const rows = offers.flatMap((offer) =>
		offer.workerFacts.map((worker, at) => ({ worker, offer: at === 0 ? offer : undefined })),
	);
	if (rows.length === 0) out.line('No worker advertises a tool.');
	else
		printTable(out, rows, ['GROUP', 'WORKER', 'RUNNING'], {
			GROUP: ({ offer }) => offer?.name ?? '',
			TOOLS: ({ offer }) => offer?.tools ?? '',
			PINS: ({ offer }) => (offer ? aboutPins(offer.pins) : ''),
			WORKER: ({ worker }) => worker.name,
			VERSION: ({ worker }) => worker.version ?? '',
			RUNNING: ({ worker }) => `${worker.running}${worker.isDraining ? ', draining' : ''}`,
			'LAST MINUTE': ({ worker }) => calls.byWorker[worker.name] ?? 0,
			LABELS: ({ worker }) => worker.labels.join(' '),
		});
	if (members.length > 0) out.line(`Members with a key: ${members.map(aboutMember).join(', ')}`);
	out.line(
		`Calls of this hub in the last minute: ${calls.lastMinute} (${(calls.lastMinute / 60).toFixed(1)} a second)`,
	);
	for (const offer of offers)
		if (offer.pins.drifted > 0)
			out.line(`Review the tools of ${offer.name}: mctl trust diff fabric:${offer.name}`);
	const failures = hub?.use ? failuresOf(hub.use) : calls.failures.map(({ text }) => text);
	for (const text of failures) out.line(`Failed ${text}`);
}

/** The failures with their reasons, which a journal does not have; the oldest first. */
function failuresOf({ failures }: FabricOverview): string[] {
	return failures
		.slice(0, FAILURES_SHOWN)
		.map(({ at, message }) => `${new Date(at).toISOString()}: ${message}`)
		.toReversed();
}

function aboutMember({ name, offers, calls, isRotating }: FabricMember): string {
	const uses = calls.length > 0 ? [`uses ${calls.join(' and ')}`] : [];
	const rotation = isRotating ? ['its key is being rotated'] : [];
	return `${name} (${[...(offers === undefined ? [] : [`offers ${offers}`]), ...uses, ...rotation].join(', ')})`;
}

function aboutPins({ mode, state, drifted, quarantined }: GroupPinState): string {
	if (mode === 'off') return 'off';
	if (quarantined > 0) return `${quarantined} quarantined`;
	if (drifted > 0) return `${drifted} changed`;
	return {
		same: 'as accepted',
		drifted: '',
		unpinned: 'new',
		unknown: '',
		broken: 'unreadable',
		too_large: 'too many',
	}[state];
}

/* `mctl fabric status`: the servers, who offers what, and the calls of this hub. */
import type { FabricMember, FabricReport } from '../../fabric/administration/fabric-report.ts';
import { type Command, type CommandPlace, refuseWords } from '../command.ts';
import { callOf, journalsHere, type LoggedCall, readJournal } from '../log/journal-lines.ts';
import type { Output } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { fabricSettings } from './fabric-settings.ts';

const MINUTE_MS = 60_000;
const FAILURES_SHOWN = 5;
const WATCH_MS = 2000;
/** Move to the first line and clear the rest. */
const CLEAR_SCREEN = '\u001B[H\u001B[J';

export const fabricStatus: Command = {
	usage: 'mctl fabric status [--watch] [--json]',
	examples: ['mctl fabric status', 'mctl fabric status --watch', 'mctl fabric status --json | jq .offers'],
	flags: {
		watch: { type: 'boolean', help: 'show it again every two seconds, until Ctrl-C' },
		json: { type: 'boolean', help: 'print one JSON object on stdout, with --watch one per line' },
	},

	async run(input) {
		refuseWords(input, fabricStatus);
		const { flags, cwd, environment, signal, out } = input;
		const settings = fabricSettings({ cwd, environment });
		const { fabricReport, watchFabric } = await import('../../fabric/administration/fabric-report.ts');
		const show = (report: FabricReport): void => {
			const calls = remoteCalls({ cwd, environment });
			if (flags['json'])
				out.json({
					schema: 'orchestra.fabric/1',
					name: settings.name,
					servers: settings.servers,
					...report,
					...calls,
				});
			else for (const line of statusLines(settings.name, report, calls, out)) out.line(line);
		};
		if (flags['watch'] !== true) return show(await fabricReport(settings, environment));
		const isDrawn = out.isTerminal && out.hasLiveStderr && flags['json'] !== true;
		const onReport = (report: FabricReport): void => {
			if (isDrawn) out.live(CLEAR_SCREEN);
			show(report);
			if (!isDrawn && flags['json'] !== true) out.line();
		};
		await watchFabric(settings, environment, { everyMs: WATCH_MS, signal, onReport });
	},
};

function statusLines(
	name: string,
	report: FabricReport,
	calls: RemoteCallCounts,
	out: Pick<Output, 'isTerminal' | 'width'>,
): string[] {
	const { link, server, version, replicas, members, offers } = report;
	const cluster = report.cluster === null ? '' : `, cluster ${report.cluster}`;
	const copies = replicas === null ? '' : `, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;
	const state =
		link.state === 'down'
			? `${name} is not connected: ${link.reason}`
			: `${name} is connected to ${server} (nats-server ${version}${cluster}${copies})`;
	const rows = offers.flatMap((offer) =>
		offer.workerFacts.map(({ name: worker, version: build, running, isDraining, labels }, at) => [
			at === 0 ? offer.name : '',
			at === 0 ? String(offer.tools) : '',
			worker,
			build ?? '',
			isDraining ? `${running}, draining` : String(running),
			String(calls.byWorker[worker] ?? 0),
			labels.join(' '),
		]),
	);
	const headings = ['OFFER', 'TOOLS', 'WORKER', 'VERSION', 'RUNNING', 'LAST MINUTE', 'LABELS'];
	const failures = calls.failures.map(({ at, name: tool, error, remote, worker }) => {
		const where = worker === null ? '' : ` at ${worker}`;
		return `Failed ${at}: ${tool}${where} (${outcomeText(remote) ?? error})`;
	});
	return [
		state,
		...(link.state === 'suspect' ? [`The link is suspect: ${link.reason}`] : []),
		...(rows.length === 0
			? ['Nobody offers anything.']
			: tableLines(headings, rows, out.isTerminal ? out.width : undefined, [0, 2, 4])),
		...(members.length > 0 ? [`Members with a key: ${members.map(aboutMember).join(', ')}`] : []),
		`Calls of this hub in the last minute: ${calls.lastMinute} (${(calls.lastMinute / 60).toFixed(1)} a second)`,
		...failures,
	];
}

function aboutMember({ name, offers, calls, isRotating }: FabricMember): string {
	const uses = calls.length > 0 ? [`uses ${calls.join(' and ')}`] : [];
	const rotation = isRotating ? ['its key is being rotated'] : [];
	return `${name} (${[...(offers === undefined ? [] : [`offers ${offers}`]), ...uses, ...rotation].join(', ')})`;
}

interface RemoteCallCounts {
	readonly lastMinute: number;
	/** Of those, by the worker that accepted them. */
	readonly byWorker: Readonly<Record<string, number>>;
	readonly failures: readonly {
		at: string;
		name: string;
		error: string;
		remote: string | null;
		/** The one that had accepted it. */
		worker: string | null;
	}[];
}

function outcomeText(remote: string | null): string | null {
	return remote === 'unknown' ? 'outcome unknown' : (remote?.replace('_', ' ') ?? null);
}

/** From the journals of this folder. */
function remoteCalls({ cwd, environment }: CommandPlace): RemoteCallCounts {
	const since = Date.now() - MINUTE_MS;
	const calls = journalsHere({ cwd, environment })
		.flatMap((file) => readJournal(file))
		.flatMap(({ text }) => text.split('\n'))
		.flatMap((line): LoggedCall[] => [callOf(line) ?? []].flat())
		.filter((call) => call['backend'] === 'fabric');
	const failed = calls.filter((call) => call['outcome'] === 'error').slice(-FAILURES_SHOWN);
	const recent = calls.filter((call) => Date.parse(String(call['at'])) >= since);
	const byWorker: Record<string, number> = {};
	for (const { worker } of recent)
		if (typeof worker === 'string') byWorker[worker] = (byWorker[worker] ?? 0) + 1;
	return {
		lastMinute: recent.length,
		byWorker,
		failures: failed.map((call) => ({
			at: String(call['at']),
			name: String(call['name']),
			error: typeof call['error'] === 'string' ? call['error'] : 'failed',
			remote: typeof call['remote'] === 'string' ? call['remote'] : null,
			worker: typeof call['worker'] === 'string' ? call['worker'] : null,
		})),
	};
}

/* `mctl fabric status`: the servers, who offers what, and the calls of this hub. */
import type { FabricMember } from '../../fabric/fabric-report.ts';
import { type Command, type CommandPlace, refuseWords } from '../command.ts';
import { callOf, journalsHere, type LoggedCall, readJournal } from '../log/journal-lines.ts';
import { tableLines } from '../terminal/table.ts';
import { fabricSettings } from './fabric-settings.ts';

const MINUTE_MS = 60_000;
const FAILURES_SHOWN = 5;

export const fabricStatus: Command = {
	usage: 'mctl fabric status [--json]',
	examples: ['mctl fabric status', 'mctl fabric status --json | jq .offers'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseWords(input, fabricStatus);
		const { flags, cwd, environment, out } = input;
		const settings = fabricSettings({ cwd, environment });
		const { fabricReport } = await import('../../fabric/fabric-report.ts');
		const report = await fabricReport(settings, environment);
		const calls = remoteCalls({ cwd, environment });
		if (flags['json'])
			return out.json({
				schema: 'orchestra.fabric/1',
				name: settings.name,
				servers: settings.servers,
				...report,
				...calls,
			});
		const { server, version, replicas, members } = report;
		const cluster = report.cluster === null ? '' : `, cluster ${report.cluster}`;
		const copies = replicas === null ? '' : `, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;
		out.line(`${settings.name} is connected to ${server} (nats-server ${version}${cluster}${copies})`);
		const rows = report.offers.map(({ name, tools, workers }) => [name, String(tools), workers.join(', ')]);
		if (rows.length === 0) out.line('Nobody offers anything.');
		else
			for (const line of tableLines(
				['OFFER', 'TOOLS', 'WORKERS'],
				rows,
				out.isTerminal ? out.width : undefined,
			))
				out.line(line);
		if (members.length > 0) out.line(`Members with a key: ${members.map(aboutMember).join(', ')}`);
		out.line(
			`Calls of this hub in the last minute: ${calls.lastMinute} (${(calls.lastMinute / 60).toFixed(1)} a second)`,
		);
		for (const { at, name, error, remote, worker } of calls.failures) {
			const where = worker === null ? '' : ` at ${worker}`;
			out.line(`Failed ${at}: ${name}${where} (${outcomeText(remote) ?? error})`);
		}
	},
};

function aboutMember({ name, offers, calls }: FabricMember): string {
	const uses = calls.length > 0 ? [`uses ${calls.join(' and ')}`] : [];
	return `${name} (${[...(offers === undefined ? [] : [`offers ${offers}`]), ...uses].join(', ')})`;
}

interface RemoteCallCounts {
	readonly lastMinute: number;
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
	return {
		lastMinute: calls.filter((call) => Date.parse(String(call['at'])) >= since).length,
		failures: failed.map((call) => ({
			at: String(call['at']),
			name: String(call['name']),
			error: typeof call['error'] === 'string' ? call['error'] : 'failed',
			remote: typeof call['remote'] === 'string' ? call['remote'] : null,
			worker: typeof call['worker'] === 'string' ? call['worker'] : null,
		})),
	};
}

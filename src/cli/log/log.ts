/* `mctl log`: the calls that were made, from the journal. `mctl log verify`: whether its lines were changed, removed, reordered or cut. */
import { OrchestraError } from '../../errors.ts';
import { printable, printableLine } from '../../printable.ts';
import { readChainHead } from '../../trust/chain-file.ts';
import { verifyChain } from '../../trust/verify-chain.ts';
import { TextLines } from '../../wire/text-lines.ts';
import { type Command, type CommandInput, jsonFlag, numberFlag, textFlag } from '../command.ts';
import { formatCounted } from '../terminal/quantity.ts';
import { type Columns, printTable, rowsOf } from '../terminal/table.ts';
import { followFile } from './follow-file.ts';
import {
	type CallFilter,
	callOf,
	isShown,
	journalName,
	journalsHere,
	type LoggedCall,
	readJournal,
	sinceFlag,
} from './read-journals.ts';

const DEFAULT_LINES = 50;

export const logCommand: Command = {
	usage: 'mctl log [-f] [--tool T] [--client C] [--failed] [--since 1h] [--slowest N] [--json]',
	examples: [
		'mctl log',
		'mctl log -f --failed',
		"mctl log --tool 'files__*' --since 1h",
		'mctl log --slowest 10',
		'mctl log verify',
	],
	flags: {
		follow: { short: 'f', help: 'go on with new calls of the shared hub, until Ctrl-C' },
		tool: { value: 'T', help: 'only this tool; * stands for any characters' },
		client: { value: 'C', help: 'only this client' },
		failed: { help: 'only calls that failed' },
		since: { value: '1h', help: 'only the last seconds, minutes, hours or days' },
		slowest: { value: 'N', help: 'the N slowest calls, the slowest first' },
		lines: { value: 'N', help: `the last N calls (default ${DEFAULT_LINES})` },
		json: { help: 'print one JSON object on stdout; with -f one for each call' },
	},

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const filter = filterOf(input);
		const slowest = numberFlag(input, logCommand, 'slowest');
		const count = numberFlag(input, logCommand, 'lines') ?? DEFAULT_LINES;
		const files = journalsHere({ cwd, environment });
		const parts = files.map(readJournal);
		const all = parts.flat().flatMap(({ text }) => callsIn(text, filter));
		const calls = slowest === undefined ? newest(all, count) : slowestOf(all, slowest);
		if (flags['follow']) {
			const [file = ''] = files;
			const from = Buffer.byteLength(parts[0]?.find(({ name }) => !name.endsWith('.1'))?.text ?? '');
			return follow(file, { from, calls, filter }, input);
		}
		if (flags['json']) return out.json({ schema: 'orchestra.log/1', calls });
		if (calls.length === 0) return out.info('No calls.');
		printTable(out, calls, ['AT', 'OUTCOME', 'NAME'], columns);
	},
};

function filterOf(input: CommandInput): CallFilter {
	const [tool, client] = [textFlag(input, 'tool'), textFlag(input, 'client')];
	return { tool, client, isFailed: input.flags['failed'] === true, since: sinceFlag(input, logCommand) };
}

function callsIn(text: string, filter: CallFilter): LoggedCall[] {
	return text.split('\n').flatMap((line) => {
		const call = line === '' ? undefined : callOf(line);
		return call && isShown(call, filter) ? [call] : [];
	});
}

function newest(calls: readonly LoggedCall[], count: number): LoggedCall[] {
	const sorted = calls.toSorted((one, other) => (String(one['at']) < String(other['at']) ? -1 : 1));
	return count === 0 ? [] : sorted.slice(-count);
}

function slowestOf(calls: readonly LoggedCall[], count: number): LoggedCall[] {
	return calls.toSorted((one, other) => Number(other['ms']) - Number(one['ms'])).slice(0, count);
}

const columns: Columns<LoggedCall> = {
	AT: ({ at }) => textOf(at),
	CLIENT: ({ client }) => textOf(client),
	MS: ({ ms }) => textOf(ms),
	OUTCOME({ outcome, error, worker }) {
		const where = typeof worker === 'string' ? ` at ${worker}` : '';
		return (typeof error === 'string' ? `${textOf(outcome)} (${error})` : textOf(outcome)) + where;
	},
	POLICY: ({ policy }) => textOf(policy) || null,
	NAME: ({ name }) => textOf(name),
};

function textOf(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The calls so far, then each new one as a line. */
async function follow(
	file: string,
	{ from, calls, filter }: { from: number; calls: readonly LoggedCall[]; filter: CallFilter },
	{ flags, out, signal }: CommandInput,
): Promise<void> {
	const show = (call: LoggedCall): void =>
		flags['json']
			? out.line(JSON.stringify(call))
			: out.line(rowsOf([call], columns).flat().map(printableLine).join('  '));
	for (const call of calls) show(call);
	const lines = new TextLines(Number.POSITIVE_INFINITY);
	const onBytes = async (bytes: Buffer): Promise<boolean> => {
		for (const call of callsIn(lines.push(bytes).join('\n'), filter)) show(call);
		return !out.isClosed;
	};
	await followFile(file, { from, signal, onBytes });
}

export const logVerify: Command = {
	usage: 'mctl log verify [--json]',
	examples: ['mctl log verify', 'mctl log verify --json | jq .findings'],
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const reports = journalsHere({ cwd, environment }).map((file) =>
			verifyChain(readJournal(file), readChainHead(file), journalName(file)),
		);
		const lines = reports.reduce((sum, report) => sum + report.lines, 0);
		const findings = reports.flatMap((report) => report.findings);
		const notes = reports.flatMap((report) => report.notes);
		if (flags['json']) out.json({ schema: 'orchestra.log-verify/1', lines, findings, notes });
		else {
			for (const { kind, message } of findings) out.line(printable(`${kind}: ${message}`));
			for (const note of notes) out.line(printable(`note: ${note}`));
			if (findings.length === 0) out.line(`${formatCounted(lines, 'line')}, none changed or missing.`);
		}
		if (findings.length === 0) return;
		throw new OrchestraError(
			'tool_failed',
			`the journal has ${formatCounted(findings.length, 'damaged place')}`,
			{
				hint: 'Compare it with a backup; new lines continue the chain all the same.',
			},
		);
	},
};

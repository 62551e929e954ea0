/* `mctl replay --against`: the requests of a recording to a server, and the differences of its answers. */
import { loadConfiguration } from '../../config/load.ts';
import { printableJson } from '../../printable.ts';
import { conversationOf } from '../../record/exchanges.ts';
import type { JsonDifference } from '../../record/json-differences.ts';
import type { Recording } from '../../record/read-recording.ts';
import { RepeatedConversation, type RepeatedRequest } from '../../record/repeat-recording.ts';
import { redact } from '../../redact.ts';
import { DIFFERENCE_CHARACTERS, RECORDED_LINE_BYTES } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';
import { type Endpoint, openEndpoint } from '../target/open-endpoint.ts';
import { isUrl, serverByName } from '../target/target-name.ts';

const DIFFERENT = 1;

export interface AgainstServer {
	/** The folder of the recording, or of a folder with several. */
	readonly path: string;
	/** Each has its own connection. */
	readonly recordings: readonly Recording[];
	/** A name of the configuration, a `stdio:` URI or a URL; or a command with its arguments. */
	readonly target: string | readonly string[];
}

/** Show the differences; exit code 1 when there are some. */
export async function replayAgainst(what: AgainstServer, input: CommandInput): Promise<number> {
	const { out, flags, signal } = input;
	const endpoint = endpointOf(what.target, input);
	const requests: (RepeatedRequest & { file: string })[] = [];
	for (const recording of what.recordings) {
		const transport = await openEndpoint(endpoint, input, {
			limitBytes: RECORDED_LINE_BYTES,
			showsStderr: true,
		});
		try {
			for await (const request of new RepeatedConversation(transport, conversationOf(recording)).run(
				signal,
			)) {
				requests.push({ file: recording.file, ...request });
				if (!flags['json']) showRequest(request, input);
			}
		} finally {
			await transport.close();
		}
	}
	const different = requests.filter(({ differences }) => differences.length > 0);
	const skipped = requests.filter((request) => request.skipped !== undefined);
	const same = requests.length - different.length - skipped.length;
	const counts = { requests: requests.length, same, different: different.length, skipped: skipped.length };
	if (flags['json']) {
		const answers = requests.filter(
			({ differences, skipped: why }) => differences.length > 0 || why !== undefined,
		);
		out.json({ schema: 'orchestra.replay/1', recording: what.path, ...counts, answers });
	} else {
		out.line(
			`${counts.requests} requests: ${same} same, ${different.length} different, ${skipped.length} skipped`,
		);
	}
	return different.length > 0 ? DIFFERENT : 0;
}

/** What the target means: a name is one of the configuration. */
function endpointOf(target: AgainstServer['target'], { cwd, environment }: CommandInput): Endpoint {
	if (typeof target !== 'string') return { command: target[0] ?? '', args: target.slice(1) };
	if (target.startsWith('stdio:') || isUrl(target)) return target;
	const { configuration, blocked } = loadConfiguration({ cwd, environment });
	return serverByName(
		configuration.mcpServers.filter(({ isEnabled }) => isEnabled),
		target,
		blocked,
	);
}

function showRequest(
	{ line, method, name, skipped, differences }: RepeatedRequest,
	{ out }: CommandInput,
): void {
	const title = `${name === undefined ? method : `${method} ${name}`} (line ${line})`;
	if (skipped !== undefined) return out.info(`mctl: skipped ${title}: ${skipped}`);
	if (differences.length === 0) return;
	out.line(title);
	for (const difference of differences) showDifference(difference, out);
}

function showDifference({ path, ...sides }: JsonDifference, out: CommandInput['out']): void {
	out.line(`  ${path === '' ? 'the answer' : path}`);
	if ('before' in sides) out.line(`  - ${shown(sides.before)}`);
	if ('after' in sides) out.line(`  + ${shown(sides.after)}`);
}

function shown(value: unknown): string {
	const text = redact(printableJson(value));
	return text.length > DIFFERENCE_CHARACTERS ? `${text.slice(0, DIFFERENCE_CHARACTERS)}…` : text;
}

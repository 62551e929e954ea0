/*
 * `mctl learn`: start servers that were never seen once, and cache their lists, before an
 * agent lists them. Commands that add or trust servers do the same, and so does a session
 * that was too short. A server that another process learns is not started twice.
 */
import type { ServerEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { attempt } from '../../errors.ts';
import { isLearningOn } from '../../hub/shared/learner-standby.ts';
import { learningTurn } from '../../hub/sources/mcp/process/learning-lock.ts';
import { cacheFilesHere, forgetFailure, leftOutText, readKnown } from '../../hub/sources/mcp/server-cache.ts';
import type { LeftOutItem } from '../../mcp/client/list-pages.ts';
import { printableLine } from '../../printable.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { configFile, configFlag } from '../config-flag.ts';
import { exitCodes } from '../exit.ts';
import { serverByName } from '../target/target-name.ts';
import { ProgressBar } from '../terminal/progress-bar.ts';
import { checkServer, eachServer } from './check-servers.ts';

export const learn: Command = {
	usage: 'mctl learn [server…] [--config FILE] [--json]',
	examples: ['mctl learn                        # every server that was never seen', 'mctl learn files'],
	flags: {
		config: configFlag,
		background: { help: 'leave out servers that another process learns' },
		json: jsonFlag,
	},
	args: [0, Number.POSITIVE_INFINITY, 'names of servers'],

	async run(input) {
		const { flags, out } = input;
		const learnt = await learnServers(meant(input), input, flags['background'] === true);
		if (flags['json'] === true) out.json({ schema: 'orchestra.learn/1', servers: learnt });
		else for (const server of learnt) report(out, server);
		if (learnt.length === 0 && flags['json'] !== true)
			out.info('Every server is known. `mctl list servers --check` starts each one again.');
		return learnt.some(({ error }) => error !== undefined) ? exitCodes.tool_failed : 0;
	},
};

function report(out: CommandInput['out'], { name, tools, leftOut = [], error }: LearntServer): void {
	for (const item of leftOut) out.info(`${name}: ${leftOutText(name, item)}`);
	if (tools !== undefined) return out.line(`${name}  ${tools} tools`);
	if (error === undefined) return out.line(`${name}  another process learns it`);
	out.line(`${name}  FAILED`);
	out.info(`${name}: ${error.message}${error.hint === undefined ? '' : `\nhint: ${error.hint}`}`);
}

/** The servers that are named, by their names or by the keys that a hub gives; else all that were never seen. */
function meant(input: CommandInput): readonly ServerEntry[] {
	const { args, flags, cwd, environment } = input;
	const file = configFile(input, learn);
	const { mcpServers } = loadConfiguration({ cwd, environment, file }).configuration;
	const enabled = mcpServers.filter(({ isEnabled }) => isEnabled);
	const isNew = (entry: ServerEntry): boolean => isUnknown(entry, environment);
	if (args.length === 0) return enabled.filter((entry) => entry.settings.learn && isNew(entry));
	if (flags['background'] === true)
		return enabled.filter((entry) => args.includes(cacheFilesHere(entry, environment).key) && isNew(entry));
	return args.map((arg) => serverByName(enabled, arg));
}

type Environment = Readonly<NodeJS.ProcessEnv>;
type LearnInput = Pick<CommandInput, 'cwd' | 'environment' | 'signal' | 'out'>;

/** The outcome for a server. */
interface LearntServer {
	readonly name: string;
	/** Undefined when it could not be listed, and when another process learns it. */
	readonly tools?: number | undefined;
	/** The tools that are left out of its list, and why. */
	readonly leftOut?: readonly LeftOutItem[] | undefined;
	/** Why it could not be listed. */
	readonly error?: { readonly message: string; readonly hint?: string | undefined } | undefined;
}

/** True for a server that was never seen. */
export function isUnknown(entry: ServerEntry, environment: Environment): boolean {
	// A damaged file is written again.
	return attempt(() => readKnown(cacheFilesHere(entry, environment)) === undefined, true);
}

/** Let the next list wait for servers that failed, after the user did something about them. */
export function forgetFailures(entries: readonly ServerEntry[], environment: Environment): void {
	for (const entry of entries) {
		// It is started in the background all the same.
		attempt(() => forgetFailure(cacheFilesHere(entry, environment)));
	}
}

/** Learn servers, with a progress bar on a terminal. `skipsBusy` leaves out those that another process learns. */
async function learnServers(
	entries: readonly ServerEntry[],
	input: LearnInput,
	skipsBusy = false,
): Promise<LearntServer[]> {
	const bar = new ProgressBar(input.out);
	const show = (progress: number): void =>
		bar.show({ progress, total: entries.length, message: 'servers listed for the first time' });
	show(0);
	const learn = (entry: ServerEntry): Promise<LearntServer> => learnServer(entry, input, skipsBusy);
	return eachServer(entries, input.signal, learn, show).finally(() => bar.end());
}

async function learnServer(entry: ServerEntry, input: LearnInput, skipsBusy: boolean): Promise<LearntServer> {
	const { name, settings } = entry;
	const { environment, signal } = input;
	const waitMs = skipsBusy ? 0 : settings.startMs;
	const turn = await learningTurn(cacheFilesHere(entry, environment), { environment, waitMs, signal });
	if (turn === undefined && skipsBusy) return { name };
	if (turn && 'known' in turn) return { name, tools: turn.known.tools.length, leftOut: turn.known.leftOut };
	try {
		const check = await checkServer(entry, input, settings.startMs);
		return check.isOk ? { name, tools: check.tools, leftOut: check.leftOut } : { name, error: check.error };
	} finally {
		turn?.lock.release();
	}
}

/** Learn the servers of this folder that were never seen, and say what came of it on stderr. Never fails the command. */
export async function learnHere(
	input: LearnInput,
	isMeant: (entry: ServerEntry) => boolean = () => true,
): Promise<void> {
	const { cwd, environment, signal, out } = input;
	const { mcpServers } = loadConfiguration({ cwd, environment }).configuration;
	const unknown = mcpServers.filter(
		(entry) => entry.isEnabled && isMeant(entry) && isUnknown(entry, environment),
	);
	forgetFailures(unknown, environment);
	const wanted = isLearningOn(environment) ? unknown.filter(({ settings }) => settings.learn) : [];
	if (wanted.length === 0) return;
	const learnt = await learnServers(wanted, input).catch(() => []); // interrupted: they stay unknown
	if (signal.aborted) return;
	for (const { name, tools, leftOut = [], error } of learnt) {
		for (const item of leftOut) out.info(`note: ${printableLine(leftOutText(name, item))}`);
		const [reason = ''] = error?.message.split('\n', 1) ?? [];
		if (tools === undefined) out.info(`note: ${printableLine(`${name} could not be listed yet: ${reason}`)}`);
	}
	const names = learnt.filter(({ tools }) => tools !== undefined);
	if (names.length > 0)
		out.info(
			`Listed: ${names.map(({ name, tools }) => `${printableLine(name)} (${tools} tools)`).join(', ')}`,
		);
}

/* The tool that a target of `mctl call` or `mctl show` names, among those that are listed. */
import type { ServerEntry } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { withReasons } from '../../hub/source-status.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { printableName } from '../../printable.ts';
import { qualifiedName, shortened, toolPrefix } from '../../trust/tool-name.ts';
import { isObject, ownEntry } from '../../wire/json.ts';
import { HINT_NAMES_LIMIT } from '../cli-limits.ts';
import type { CommandPlace } from '../command.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import type { ListedItem } from '../hub-client/hub-items.ts';
import type { HubSession } from '../hub-client/with-hub.ts';
import type { CallSession } from './call-session.ts';
import { type CallTarget, prefixOf } from './call-target.ts';

/** Where the hub stores a name that was too long for some agents. */
const FULL_NAME = 'orchestra/fullName';

/**
 * The tool. Throws `bad_input` with the nearest names; when the server has none, the reason why it could not be
 * started; when the tool is quarantined or left out, the reason for that. `otherNames` are suggested too.
 */
export async function findTarget(
	target: CallTarget,
	session: CallSession,
	{ environment }: Pick<CommandPlace, 'environment'>,
	otherNames: readonly string[] = [],
): Promise<ListedItem> {
	try {
		return await listedTarget(target, session, otherNames);
	} catch (thrown) {
		throw (await unlistedError(target, environment)) ?? thrown;
	}
}

/** Why the tool of the target is not listed, when its server has it. What finds it is loaded only after a failure. */
async function unlistedError(
	{ server, tool }: Pick<CallTarget, 'server' | 'tool'>,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<OrchestraError | undefined> {
	if (server === undefined || tool === undefined) return undefined;
	const { serverDrifts } = await import('../../hub/server-drifts.ts');
	const { LEFT_OUT_HINT, leftOutText } = await import('../../hub/sources/mcp/server-cache.ts');
	const { ToolAllowlist } = await import('../../hub/sources/mcp/tools/tool-allowlist.ts');
	const nameThere = new ToolAllowlist(server.settings).upstreamName(tool);
	const [drift] = serverDrifts([server], environment);
	const leftOut = drift?.leftOut.find(({ name }) => name === nameThere);
	if (leftOut)
		return new OrchestraError('tool_failed', leftOutText(server.name, leftOut), { hint: LEFT_OUT_HINT });
	if (server.settings.pin !== 'quarantine') return undefined;
	if (drift?.problem) return drift.problem;
	const found = drift?.drifted.find((each) => each.tool === nameThere && each.isQuarantined);
	if (found === undefined) return undefined;
	const what = found.kind === 'new' ? 'is new' : 'was changed';
	const missingFile = drift?.missing === undefined ? '' : `. ${drift.missing}`;
	return new OrchestraError(
		'tool_failed',
		`${printableName(tool)} of ${server.name} is quarantined: it ${what} since the tools of ${server.name} were accepted${missingFile}`,
		{ hint: `See it with: mctl trust diff ${server.name}. Accept it with: mctl trust accept ${server.name}` },
	);
}

async function listedTarget(
	target: CallTarget,
	session: CallSession,
	otherNames: readonly string[],
): Promise<ListedItem> {
	const { server, tool, address } = target;
	const place = server?.name ?? (address === undefined ? undefined : 'the server');
	const tools = await toolsOf(target, session);
	const names = tools.map((each) => (server === undefined ? nameOf(each) : nameAtServer(each, server)));
	if (tool === undefined) throw toolNeeded(place ?? 'the server', names);
	const full = server && shortened(prefixOf(server) + tool);
	const found = tools.find((each, at) => names[at] === tool || nameOf(each) === full);
	if (found) return found;
	if (target.broken) throw target.broken;
	const guesses = nearest(tool, server ? names : [...names, ...otherNames]);
	if (place === undefined)
		throw await missing(`tool "${tool}"`, target, { session, guesses, hint: someOf(names) });
	throw new OrchestraError('bad_input', `there is no tool "${tool}" of ${place}`, {
		hint: didYouMean(guesses, someOf(names)),
		data: { tool, nearest: guesses },
	});
}

export interface MissingItem {
	readonly session: Pick<HubSession, 'downReasons'>;
	/** The nearest names. */
	readonly guesses: readonly string[];
	/** The hint when there are none. */
	readonly hint: string;
}

/** The error for what the hub does not have: who may have it and is down, or quarantined. */
export async function missing(
	what: string,
	{ tool, blockedReason }: Pick<CallTarget, 'tool' | 'blockedReason'>,
	{ session, guesses, hint }: MissingItem,
): Promise<OrchestraError> {
	const sentence = withReasons(`there is no ${what}`, await session.downReasons());
	return new OrchestraError(
		'bad_input',
		blockedReason === undefined ? sentence : `${sentence}. ${blockedReason}`,
		{
			hint: didYouMean(guesses, hint),
			data: { tool, nearest: guesses },
		},
	);
}

export function nameOf({ name }: ListedItem): string {
	return String(name);
}

/** The name that a tool has at its server: `read_file` for `files__read_file`. */
export function nameAtServer(tool: ListedItem, server: Pick<ServerEntry, 'name' | 'settings'>): string {
	const full = fullNameOf(tool);
	const written = server.settings.prefix ? qualifiedName(server.name, '') : '';
	if (full !== undefined) return full.startsWith(written) ? full.slice(written.length) : full;
	const name = nameOf(tool);
	const prefix = prefixOf(server);
	return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Whether the name of a tool says that it is one of this server. */
export function isOfServer(tool: ListedItem, server: string): boolean {
	return nameOf(tool).startsWith(toolPrefix(server));
}

/** The tools among which a target is found; a server of the configuration that lists none yet is started. */
export async function toolsOf(
	{ server, tool }: CallTarget,
	session: CallSession,
): Promise<readonly ListedItem[]> {
	if (server === undefined) return session.listTools(tool);
	const isThere = (each: ListedItem): boolean => nameOf(each).startsWith(prefixOf(server));
	const listed = (await session.listTools(tool && prefixOf(server) + tool)).filter(isThere);
	if (listed.length > 0) return listed;
	await session.start(server.name).catch((thrown: unknown) => {
		throw errorOfHub(thrown);
	});
	return (await session.listTools(undefined)).filter(isThere);
}

function fullNameOf({ _meta }: ListedItem): string | undefined {
	const found = isObject(_meta) ? ownEntry(_meta, FULL_NAME) : undefined;
	return typeof found === 'string' ? found : undefined;
}

function toolNeeded(place: string, names: readonly string[]): OrchestraError {
	return new OrchestraError('bad_input', `name a tool of ${place}`, { hint: someOf(names) });
}

function someOf(names: readonly string[]): string {
	if (names.length === 0) return 'mctl list tools shows what there is.';
	const more =
		names.length > HINT_NAMES_LIMIT ? `, and ${names.length - HINT_NAMES_LIMIT} more (mctl list tools)` : '';
	return `There are: ${names.slice(0, HINT_NAMES_LIMIT).join(', ')}${more}`;
}

/* The tool that a target of `mctl call` or `mctl show` names, among those that are offered. */
import type { ServerEntry } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import { qualifiedName, shortened } from '../hub/names.ts';
import { nearest } from '../search/text/nearest.ts';
import { isObject, ownEntry } from '../wire/json.ts';
import type { CallSession } from './call-session.ts';
import { type CallTarget, prefixOf } from './call-target.ts';
import { errorOfHub } from './hub-error.ts';
import type { Offered } from './hub-offers.ts';

/** Names in a hint. */
const SHOWN_LIMIT = 20;
/** Where the hub keeps a name that was too long for some agents. */
const FULL_NAME = 'orchestra/fullName';

/**
 * The tool. Throws `bad_input` with the nearest names; when the server offers nothing, the reason why it could not be
 * started. `otherNames` are suggested too.
 */
export async function findTarget(
	target: CallTarget,
	session: CallSession,
	otherNames: readonly string[] = [],
): Promise<Offered> {
	const { server, tool, address } = target;
	const place = server?.name ?? (address === undefined ? undefined : 'the server');
	const own = await toolsOf(target, session);
	const names = own.map((each) => (server === undefined ? nameOf(each) : nameAtServer(each, server)));
	if (tool === undefined) throw toolNeeded(place ?? 'the server', names);
	const full = server && shortened(prefixOf(server) + tool);
	const found = own.find((each, at) => names[at] === tool || nameOf(each) === full);
	if (found) return found;
	const guesses = nearest(tool, [...names, ...otherNames]);
	throw new OrchestraError(
		'bad_input',
		`there is no tool "${tool}"${place === undefined ? '' : ` of ${place}`}`,
		{
			hint: guesses.length > 0 ? `did you mean: ${guesses.join(', ')}` : someOf(names),
			data: { tool, nearest: guesses },
		},
	);
}

export function nameOf({ name }: Offered): string {
	return String(name);
}

/** The name that a tool has at its server: `read_file` for `files__read_file`. */
export function nameAtServer(tool: Offered, server: Pick<ServerEntry, 'name' | 'settings'>): string {
	const name = fullNameOf(tool);
	const prefix = prefixOf(server);
	return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Whether the name of a tool says that it is one of this server. */
export function isOfServer(tool: Offered, server: string): boolean {
	return fullNameOf(tool).startsWith(qualifiedName(server, ''));
}

async function toolsOf({ server, tool }: CallTarget, session: CallSession): Promise<Offered[]> {
	if (server === undefined) return session.listTools(tool);
	const isOwn = (each: Offered): boolean => fullNameOf(each).startsWith(prefixOf(server));
	const listed = (await session.listTools(tool && prefixOf(server) + tool)).filter(isOwn);
	if (listed.length > 0) return listed;
	// No tool has an empty name: the call starts the server, and runs nothing.
	const reason = await session
		.callTool(qualifiedName(server.name, ''), {}, {})
		.catch((error: unknown) => error);
	const again = (await session.listTools(undefined)).filter(isOwn);
	if (again.length === 0 && reason instanceof Error) throw errorOfHub(reason);
	return again;
}

function fullNameOf(tool: Offered): string {
	const { _meta } = tool;
	const found = isObject(_meta) ? ownEntry(_meta, FULL_NAME) : undefined;
	return typeof found === 'string' ? found : nameOf(tool);
}

function toolNeeded(place: string, names: readonly string[]): OrchestraError {
	return new OrchestraError('bad_input', `name a tool of ${place}`, { hint: someOf(names) });
}

function someOf(names: readonly string[]): string {
	if (names.length === 0) return 'mctl list tools shows what there is.';
	const more = names.length > SHOWN_LIMIT ? `, and ${names.length - SHOWN_LIMIT} more (mctl list tools)` : '';
	return `There are: ${names.slice(0, SHOWN_LIMIT).join(', ')}${more}`;
}

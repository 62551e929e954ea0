/*
 * Which era a server belongs to, and what it says about itself.
 *
 * The probe is `server/discover` on the process that is used afterwards. A discover
 * result or the error -32022 means modern. Any other error means legacy: old servers answer
 * an unknown method in many ways. After silence `initialize` decides. When that is refused,
 * the server is probed once more: it may have started too slowly. When it is accepted, this
 * connection is legacy, because servers keep to the era of the first call; a late answer to
 * the probe only says that the next start must find out again. A remote server that is
 * silent, overloaded or out of reach proves nothing either.
 */
import { OrchestraError } from '../../errors.ts';
import type { Implementation, Result, ServerCapabilities } from '../../protocol/mcp-types.ts';
import { mcpCodes, metaOf, SERVER_INFO } from '../../protocol/meta.ts';
import {
	modernRevision,
	modernVersions,
	negotiate,
	type Revision,
	supportedVersions,
} from '../../protocol/revisions.ts';
import { pause, within } from '../../rpc/clock.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { LAST_PROBE_MS, PROBE_AGAIN_MS } from '../mcp-limits.ts';
import { type ClientIdentity, modernParams } from './request-envelope.ts';
import type { ServerLink } from './server-link.ts';

/** The name, version, capabilities and instructions of a server. */
export interface ServerDescription {
	readonly revision: Revision;
	readonly serverInfo: Implementation | undefined;
	readonly capabilities: ServerCapabilities;
	readonly instructions: string | undefined;
	/** False for a legacy server that was not probed, or whose answer to the probe proves nothing. A late answer may disprove it. */
	readonly isProven: () => boolean;
}

/** The probe failed in a way that says nothing about the era. */
interface Unproven {
	readonly failure: OrchestraError;
	/** Whether the answer of a program that was silent came since, and is that of a modern server. */
	readonly isLateModern?: () => boolean;
}

type ProbeOutcome = { result: unknown } | { versions: readonly unknown[] | undefined } | Unproven;

export interface HandshakeOptions {
	readonly identity: ClientIdentity;
	/** True: begin with the probe. */
	readonly probes: boolean;
	/** How long silence may last before the server counts as legacy, in milliseconds. */
	readonly probeMs: number;
	/** Ends the handshake. */
	readonly signal: AbortSignal;
}

/** Agree on a revision with a server that was just started. */
export async function handshake(link: ServerLink, options: HandshakeOptions): Promise<ServerDescription> {
	const found = options.probes ? await discover(link, options) : undefined;
	return found && 'revision' in found ? found : initialize(link, options, found);
}

/** The description of a modern server; undefined when the server is legacy. */
async function discover(
	link: ServerLink,
	options: HandshakeOptions,
): Promise<ServerDescription | Unproven | undefined> {
	for (const version of modernVersions) {
		const outcome = await probeTwice(link, version, options);
		if ('failure' in outcome) return outcome;
		if ('result' in outcome) return modernDescription(outcome.result);
		const { versions } = outcome;
		if (versions === undefined) return undefined;
		const isRefusedOnly = !versions.some((other) => other !== version && modernRevision(other));
		if (!isRefusedOnly && version !== modernVersions.at(-1)) continue;
		if (versions.some(isLegacyVersion)) return undefined;
		throw wrongVersion(versions);
	}
	return undefined;
}

/** A server that was overloaded or out of reach may answer now. */
async function probeTwice(
	link: ServerLink,
	version: string,
	options: HandshakeOptions,
): Promise<ProbeOutcome> {
	const outcome = await probe(link, version, options);
	// A server that refuses the version that it names, such as a proxy during an update, may accept it now.
	if ('versions' in outcome && outcome.versions?.includes(version)) return probe(link, version, options);
	const isPassing = 'failure' in outcome && !['timeout', 'rpc'].includes(outcome.failure.code);
	if (!isPassing) return outcome;
	// The server said when it may be contacted again, `initialize` included.
	if (Number(outcome.failure.data['retryAfterMs'] ?? 0) > PROBE_AGAIN_MS) throw outcome.failure;
	await pause(PROBE_AGAIN_MS, options.signal);
	return probe(link, version, options);
}

/** The answer to one probe: the result, or the versions that the server names instead. */
async function probe(link: ServerLink, version: string, options: HandshakeOptions): Promise<ProbeOutcome> {
	const { identity, probeMs, signal } = options;
	const params = modernParams({}, version, identity);
	const isRemote = link.transport.isRemote === true;
	// A program may still answer when nothing waits for it any more.
	const timeoutMs = isRemote ? probeMs : Number.POSITIVE_INFINITY;
	let isLateModern = false;
	const answer = link.send('server/discover', params, { timeoutMs, signal }).then(
		(result): ProbeOutcome => {
			isLateModern = isObject(result) && Array.isArray(result['supportedVersions']);
			return { result };
		},
		(thrown: unknown): ProbeOutcome => {
			if (link.endReason !== undefined || signal.aborted) throw thrown;
			const failure = OrchestraError.from(thrown);
			isLateModern = isModernError(failure);
			const isVerdict = failure.code === 'rpc' ? !isModernOnly(failure) : !isRemote;
			return isVerdict ? { versions: versionsIn(failure) } : { failure };
		},
	);
	if (isRemote) return answer;
	const found = await within(answer, probeMs);
	if (found) return found;
	answer.catch(() => {}); // the connection ended before the late answer
	return { failure: silence(probeMs), isLateModern: () => isLateModern };
}

function silence(probeMs: number): OrchestraError {
	return new OrchestraError('timeout', `server/discover got no answer within ${probeMs}ms`);
}

/** @param unproven why the probe proved nothing */
async function initialize(
	link: ServerLink,
	options: HandshakeOptions,
	unproven: Unproven | undefined,
): Promise<ServerDescription> {
	const { signal } = options;
	const { capabilities, clientInfo } = options.identity;
	const protocolVersion = negotiate(undefined).version;
	try {
		const params = { protocolVersion, capabilities, clientInfo };
		const result = await link.send('initialize', params, { timeoutMs: Number.POSITIVE_INFINITY, signal });
		const description = { ...legacyDescription(result), isProven: () => isLegacyProven(options, unproven) };
		link.peer.notify('notifications/initialized', undefined);
		return description;
	} catch (error) {
		const isUnknown = !options.probes || unproven !== undefined;
		const found = await afterRefusal(link, options, { error, isUnknown });
		if (found && 'revision' in found) return found;
		throw unproven && isModernOnly(unproven.failure) ? unproven.failure : error;
	}
}

/** A program that answers `initialize`, and the probe before it not at all, is legacy. */
function isLegacyProven({ probes }: HandshakeOptions, unproven: Unproven | undefined): boolean {
	return probes && (unproven === undefined || unproven.isLateModern?.() === false);
}

/** A server that refuses `initialize` may be modern: it started too slowly for the probe, or is new behind a known address. */
async function afterRefusal(
	link: ServerLink,
	options: HandshakeOptions,
	{ error, isUnknown }: { error: unknown; isUnknown: boolean },
): Promise<ServerDescription | Unproven | undefined> {
	if (isModernError(error)) return discover(link, { ...options, probeMs: Number.POSITIVE_INFINITY });
	const isRefused = rpcErrorOf(error) !== undefined || isNoEndpoint(error);
	const probeMs = Math.max(options.probeMs, LAST_PROBE_MS);
	return isUnknown && isRefused ? discover(link, { ...options, probeMs }) : undefined;
}

/** The statuses with which a modern endpoint refuses a legacy request. */
function isNoEndpoint(error: unknown): boolean {
	const status = OrchestraError.is(error) ? error.data['status'] : undefined;
	return status === 400 || status === 404 || status === 405;
}

function modernDescription(result: unknown): ServerDescription | undefined {
	if (!isObject(result) || !Array.isArray(result['supportedVersions'])) return undefined;
	const versions: unknown[] = result['supportedVersions'];
	const revision = modernVersions.filter((version) => versions.includes(version)).map(modernRevision)[0];
	const serverInfo = metaOf(result)[SERVER_INFO] ?? result['serverInfo'];
	if (revision) return { ...describe(result, revision, serverInfo), isProven: () => true };
	if (versions.some(isLegacyVersion)) return undefined;
	throw wrongVersion(versions);
}

function legacyDescription(result: unknown): Omit<ServerDescription, 'isProven'> {
	const version = isObject(result) ? result['protocolVersion'] : undefined;
	if (!isObject(result) || typeof version !== 'string')
		throw new OrchestraError('bad_frame', 'the answer to initialize names no protocol version', {
			hint: 'The program does not follow MCP. Check that it is an MCP server for stdio.',
		});
	if (!isLegacyVersion(version)) throw wrongVersion([version]);
	return describe(result, negotiate(version), result['serverInfo']);
}

function describe(
	result: Result,
	revision: Revision,
	serverInfo: unknown,
): Omit<ServerDescription, 'isProven'> {
	const { capabilities, instructions } = result;
	return {
		revision,
		serverInfo: isImplementation(serverInfo) ? serverInfo : undefined,
		capabilities: isObject(capabilities) ? openObjects(capabilities) : {},
		instructions: typeof instructions === 'string' ? instructions : undefined,
	};
}

/** Capabilities are objects; a server that writes `true` means an empty one. */
function openObjects(capabilities: Result): ServerCapabilities {
	return Object.fromEntries(
		Object.entries(capabilities)
			.filter(([, value]) => value !== false && value !== null)
			.map(([name, value]) => [name, isObject(value) ? value : {}]),
	);
}

function isImplementation(value: unknown): value is Implementation {
	return isObject(value) && typeof value['name'] === 'string';
}

function isLegacyVersion(version: unknown): boolean {
	return negotiate(version).version === version;
}

/** True for an error that only a modern server sends. */
function isModernError(error: unknown): boolean {
	return isModernOnly(error) || versionsIn(error)?.some((version) => modernRevision(version)) === true;
}

/** True for an error of the modern era that names no versions. */
function isModernOnly(error: unknown): boolean {
	const code = rpcErrorOf(error)?.code;
	return code === mcpCodes.headerMismatch || code === mcpCodes.missingClientCapability;
}

/** The versions that the error -32022 lists; undefined for any other error. */
function versionsIn(error: unknown): readonly unknown[] | undefined {
	const rpc = rpcErrorOf(error);
	if (rpc?.code !== mcpCodes.unsupportedVersion) return undefined;
	return isObject(rpc.data) && Array.isArray(rpc.data['supported']) ? rpc.data['supported'] : [];
}

function wrongVersion(versions: readonly unknown[]): OrchestraError {
	const theirs = versions.length === 0 ? 'none that it names' : versions.map(String).join(', ');
	return new OrchestraError(
		'bad_frame',
		`wrong protocol version: the server supports ${theirs}; this client knows ${supportedVersions.join(', ')}`,
		{
			hint: 'Install a version of the server, or of this package, that shares a revision with the other.',
			data: { versions, supported: supportedVersions },
		},
	);
}

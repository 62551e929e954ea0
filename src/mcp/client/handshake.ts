/*
 * Which era a server belongs to, and what it says about itself.
 *
 * The probe is `server/discover` on the process that is used afterwards. A discover
 * result or the error -32022 means modern. Any other error, or silence, means
 * legacy: old servers answer an unknown method in many ways.
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
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { type ClientIdentity, modernParams } from './request-envelope.ts';
import type { ServerLink } from './server-link.ts';

/** What a server says about itself. */
export interface ServerDescription {
	readonly revision: Revision;
	readonly serverInfo: Implementation | undefined;
	readonly capabilities: ServerCapabilities;
	readonly instructions: string | undefined;
}

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
	const modern = options.probes ? await discover(link, options) : undefined;
	return modern ?? (await initialize(link, options));
}

/** The description of a modern server; undefined when the server is legacy. */
async function discover(link: ServerLink, options: HandshakeOptions): Promise<ServerDescription | undefined> {
	for (const version of modernVersions) {
		let outcome = await probe(link, version, options);
		// A server that refuses the version which it offers, such as a proxy during an update, may accept it now.
		if ('offered' in outcome && outcome.offered?.includes(version))
			outcome = await probe(link, version, options);
		if ('result' in outcome) return modernDescription(outcome.result);
		const { offered } = outcome;
		if (offered === undefined) return undefined;
		const isRefusedOnly = !offered.some((other) => other !== version && modernRevision(other));
		if (!isRefusedOnly && version !== modernVersions.at(-1)) continue;
		if (offered.some(isLegacyVersion)) return undefined;
		throw wrongVersion(offered);
	}
	return undefined;
}

/** The answer to one probe: the result, or the versions that the server offers instead. */
async function probe(
	link: ServerLink,
	version: string,
	{ identity, probeMs, signal }: HandshakeOptions,
): Promise<{ result: unknown } | { offered: readonly unknown[] | undefined }> {
	const params = modernParams({}, version, identity);
	try {
		return { result: await link.send('server/discover', params, { timeoutMs: probeMs, signal }) };
	} catch (error) {
		if (link.endReason !== undefined || signal.aborted) throw error;
		return { offered: offeredVersions(error) };
	}
}

async function initialize(link: ServerLink, options: HandshakeOptions): Promise<ServerDescription> {
	const { signal } = options;
	const { capabilities, clientInfo } = options.identity;
	const protocolVersion = negotiate(undefined).version;
	try {
		const params = { protocolVersion, capabilities, clientInfo };
		const result = await link.send('initialize', params, { timeoutMs: Number.POSITIVE_INFINITY, signal });
		const description = legacyDescription(result);
		link.notify('notifications/initialized', undefined);
		return description;
	} catch (error) {
		// A modern server that started too slowly for the probe refuses `initialize` and names its versions.
		const patient = { ...options, probeMs: Number.POSITIVE_INFINITY };
		const modern = isModernError(error) ? await discover(link, patient) : undefined;
		if (modern) return modern;
		throw error;
	}
}

function modernDescription(result: unknown): ServerDescription | undefined {
	if (!isObject(result) || !Array.isArray(result['supportedVersions'])) return undefined;
	const offered: unknown[] = result['supportedVersions'];
	const revision = modernVersions.filter((version) => offered.includes(version)).map(modernRevision)[0];
	if (revision) return describe(result, revision, metaOf(result)[SERVER_INFO] ?? result['serverInfo']);
	if (offered.some(isLegacyVersion)) return undefined;
	throw wrongVersion(offered);
}

function legacyDescription(result: unknown): ServerDescription {
	const version = isObject(result) ? result['protocolVersion'] : undefined;
	if (!isObject(result) || typeof version !== 'string')
		throw new OrchestraError('bad_frame', 'the answer to initialize names no protocol version', {
			hint: 'The program does not follow MCP. Check that it is an MCP server for stdio.',
		});
	if (!isLegacyVersion(version)) throw wrongVersion([version]);
	return describe(result, negotiate(version), result['serverInfo']);
}

function describe(result: Result, revision: Revision, serverInfo: unknown): ServerDescription {
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
	const code = rpcErrorOf(error)?.code;
	if (code === mcpCodes.headerMismatch || code === mcpCodes.missingClientCapability) return true;
	return offeredVersions(error)?.some((version) => modernRevision(version)) === true;
}

/** The versions that the error -32022 lists; undefined for any other error. */
function offeredVersions(error: unknown): readonly unknown[] | undefined {
	const rpc = rpcErrorOf(error);
	if (rpc?.code !== mcpCodes.unsupportedVersion) return undefined;
	return isObject(rpc.data) && Array.isArray(rpc.data['supported']) ? rpc.data['supported'] : [];
}

function wrongVersion(offered: readonly unknown[]): OrchestraError {
	const theirs = offered.length === 0 ? 'none that it names' : offered.map(String).join(', ');
	return new OrchestraError(
		'bad_frame',
		`wrong protocol version: the server offers ${theirs}; this client knows ${supportedVersions.join(', ')}`,
		{
			hint: 'Install a version of the server, or of this package, that shares a revision with the other.',
			data: { offered, supported: supportedVersions },
		},
	);
}

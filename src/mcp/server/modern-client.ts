/* The client of one modern request, from its `_meta`, which is checked each time. */
import { OrchestraError } from '../../errors.ts';
import { isLogLevel, type McpLogLevel } from '../../protocol/mcp-types.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	mcpCodes,
	PROTOCOL_VERSION,
} from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { modernRevision, modernVersions } from '../../protocol/revisions.ts';
import type { Peer } from '../../rpc/peer.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import type { ClientConnection } from './call-context.ts';
import type { ConnectionSessions } from './connection-sessions.ts';
import type { Params } from './methods.ts';

/** The client of a modern request. Throws -32022 for a version that is not served, -32602 for a field that is missing. */
export class ModernEnvelope {
	readonly revision: Revision;
	readonly capabilities: Readonly<Record<string, unknown>>;
	readonly meta: Params;

	constructor(meta: Params) {
		const requested = meta[PROTOCOL_VERSION];
		const revision = modernRevision(requested);
		if (typeof requested !== 'string') {
			throw new OrchestraError('bad_input', `missing required parameter: _meta["${PROTOCOL_VERSION}"]`);
		}
		if (revision === undefined) {
			throw rpcError(mcpCodes.unsupportedVersion, `unsupported protocol version: ${requested}`, {
				supported: modernVersions,
				requested,
			});
		}
		const capabilities = meta[CLIENT_CAPABILITIES];
		if (!isObject(capabilities)) {
			throw new OrchestraError('bad_input', `missing required parameter: _meta["${CLIENT_CAPABILITIES}"]`);
		}
		this.revision = revision;
		this.capabilities = capabilities;
		this.meta = meta;
	}

	get clientInfo(): unknown {
		return this.meta[CLIENT_INFO];
	}

	logLevel(meta: Params): McpLogLevel | undefined {
		const level = meta[LOG_LEVEL];
		return isLogLevel(level) ? level : undefined;
	}
}

export class ModernClient extends ModernEnvelope implements ClientConnection {
	readonly #peer: () => Peer;
	readonly #sessions: ConnectionSessions;
	readonly principal: string | undefined;

	constructor(peer: () => Peer, sessions: ConnectionSessions, meta: Params, principal?: string) {
		super(meta);
		this.principal = principal;
		this.#peer = peer;
		this.#sessions = sessions;
	}

	get sessionId(): string {
		return this.#sessions.idOf(this.clientInfo);
	}

	notify(method: string, params: unknown): void {
		this.#peer().notify(method, params);
	}
}

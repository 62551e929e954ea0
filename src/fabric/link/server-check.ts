/* Which NATS servers the fabric uses: TLS except on loopback, and no server older than 2.11. */
import type { ServerInfo } from '@nats-io/transport-node';
import { OrchestraError } from '../../errors.ts';
import { MESSAGE_BYTES } from '../fabric-limits.ts';

/** The first API level of JetStream that has TTLs of keys: nats-server 2.11. Older servers ignore them silently. */
const API_LEVEL = 1;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Whether the connections use TLS. Throws `bad_input` for an address that is no URL, or is plain and not loopback. */
export function usesTls(servers: readonly string[]): boolean {
	const isTls = servers.some((server) => urlOf(server).protocol === 'tls:');
	for (const server of servers) {
		const { protocol, hostname } = urlOf(server);
		if (protocol === 'tls:' || (LOOPBACK.test(hostname) && !isTls)) continue;
		throw new OrchestraError('bad_input', `${server} is not encrypted`, {
			hint: 'Write tls:// instead of nats://. Plain NATS is allowed on loopback only, and not together with TLS.',
			data: { server },
		});
	}
	return isTls;
}

function urlOf(server: string): URL {
	const url = URL.canParse(server) ? new URL(server) : undefined;
	const isKnown = url !== undefined && ['tls:', 'nats:'].includes(url.protocol) && url.hostname !== '';
	if (isKnown && url.username === '' && url.password === '') return url;
	throw new OrchestraError('bad_input', `${withoutUser(server)} is not the address of a NATS server`, {
		hint: 'Write it as tls://host:4222, and put keys into fabric.credentials.',
	});
}

/** A password in an address must not reach a log. */
function withoutUser(server: string): string {
	return server.replace(/\/\/[^@]*@/, '//…@');
}

/** The client passes on every member that the server sent; its type lacks this one. */
type ServerFacts = ServerInfo & { api_lvl?: number };

/** Throws `bad_input` for a server that is too old, has no JetStream, or takes only small messages. */
export function assertCapable(info: ServerFacts): void {
	const { version, api_lvl: level = 0, jetstream, max_payload: payload } = info;
	if (level < API_LEVEL) {
		throw new OrchestraError('bad_input', `nats-server ${version} is too old: it ignores the TTL of a key`, {
			hint: 'Use nats-server 2.11 or later.',
			data: { version, level },
		});
	}
	if (payload < MESSAGE_BYTES) {
		throw new OrchestraError('bad_input', `the NATS server takes messages of ${payload} bytes only`, {
			hint: `Set its max_payload to ${MESSAGE_BYTES} or more; mctl fabric config prints 8MB.`,
			data: { payload },
		});
	}
	if (jetstream === true) return;
	throw new OrchestraError('bad_input', `nats-server ${version} runs without JetStream`, {
		hint: 'Start it with -js, or add a jetstream block to its configuration; mctl fabric config prints one.',
	});
}

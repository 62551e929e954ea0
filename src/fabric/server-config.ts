/*
 * A configuration for nats-server: one user per member, with permissions by subject. Pure.
 *
 * A worker may only answer in its own name and serve its own offer; a hub may only call
 * in its own name and read what is sent to it. Nobody but the administrator may create a
 * consumer: the server does not check where a consumer delivers to.
 */
import { BUCKET, encodeToken, QUEUE_GROUP, STREAM } from './fabric-names.ts';
import { PING_MS, PINGS_OUT } from './fabric-timers.ts';
import { inboxPrefix } from './inbox-prefix.ts';

/** A hub or worker with a key. */
export interface Member {
	readonly name: string;
	/** The public key. */
	readonly key: string;
	/** The offer that it serves; undefined for a hub that offers nothing. */
	readonly offers?: string | undefined;
	/** The offers that it may call; `*` for all; none when it is empty. */
	readonly calls: readonly string[];
}

/** The name of the member that makes the bucket. */
export const ADMINISTRATOR = 'admin';

export interface ServerConfigOptions {
	readonly members: readonly Member[];
	readonly listen: string;
	/** Files of the certificate and key; undefined on loopback only. */
	readonly tls: { readonly cert: string; readonly key: string } | undefined;
	readonly storeDir: string;
}

/** The text of the whole file. */
export function serverConfig({ members, listen, tls, storeDir }: ServerConfigOptions): string {
	return [
		'# Made by mctl fabric config. Start the server with: nats-server -c <this file>',
		`listen: ${JSON.stringify(listen)}`,
		// A worker that hangs keeps its share of the calls until the server drops it.
		`ping_interval: "${PING_MS / 1000}s"`,
		`ping_max: ${PINGS_OUT}`,
		// The arguments of a call must fit one message.
		'max_payload: 8MB',
		`jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
		...(tls
			? [
					`tls { cert_file: ${JSON.stringify(tls.cert)}, key_file: ${JSON.stringify(tls.key)}, min_version: "1.3" }`,
				]
			: []),
		'authorization {',
		'  users: [',
		...members.map((member) => `    ${userLine(member)}`),
		'  ]',
		'}',
		'',
	].join('\n');
}

/** The entry of one user. */
export function userLine(member: Member): string {
	const { publish, subscribe } = member.name === ADMINISTRATOR ? administratorRights() : rightsOf(member);
	const permissions = `publish: { allow: ${JSON.stringify(publish)} }, subscribe: { allow: ${JSON.stringify(subscribe)} }`;
	return `{ nkey: ${member.key}, permissions: { ${permissions} } } # ${member.name}`;
}

interface Rights {
	readonly publish: readonly string[];
	readonly subscribe: readonly string[];
}

function administratorRights(): Rights {
	const api = ['INFO', 'CREATE', 'UPDATE', 'DELETE', 'PURGE'].map(
		(verb) => `$JS.API.STREAM.${verb}.${STREAM}`,
	);
	return {
		publish: [...api, `$JS.API.DIRECT.GET.${STREAM}`],
		subscribe: [`${inboxPrefix(ADMINISTRATOR)}.>`, 'orc.cat.>'],
	};
}

function rightsOf({ name, offers, calls }: Member): Rights {
	const self = encodeToken(name);
	const publish: string[] = [];
	const subscribe = [`${inboxPrefix(name)}.>`];
	if (offers !== undefined) {
		const offer = encodeToken(offers);
		publish.push(`orc.out.${self}.*.*`, `$KV.${BUCKET}.w.${offer}.${self}`, `$KV.${BUCKET}.o.${self}.*`);
		// In the queue group only: outside it would receive the calls of all equal workers.
		subscribe.push(`orc.call.*.${offer}.* ${QUEUE_GROUP}`, `orc.ctl.${self}.*.*`);
	}
	if (calls.length > 0) {
		const called = calls.map((offer) => (offer === '*' ? '*' : encodeToken(offer)));
		publish.push(...called.map((offer) => `orc.call.${self}.${offer}.*`));
		publish.push(`orc.ctl.*.${self}.*`, `$JS.API.DIRECT.GET.${STREAM}`, `$JS.API.STREAM.INFO.${STREAM}`);
		subscribe.push(`orc.out.*.${self}.*`, 'orc.cat.>');
	}
	return { publish, subscribe };
}

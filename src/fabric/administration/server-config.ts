/*
 * A configuration for nats-server: one user per member, with permissions by subject. Pure.
 *
 * A worker may only answer in its own name and serve its own group; a hub may only call
 * in its own name and read what is sent to it. Only the administrator may create a
 * consumer: the server does not check where a consumer delivers to.
 */
import { PING_MS, PINGS_OUT } from '../fabric-limits.ts';
import { BUCKET, encodeToken, QUEUE_GROUP, STREAM } from '../fabric-names.ts';
import { inboxPrefix } from '../link/inbox-prefix.ts';

/** A hub or worker with a key. */
export interface Member {
	readonly name: string;
	/** The public key. */
	readonly key: string;
	/** The public key before, which is valid until the rotation is finished. */
	readonly retiring?: string | undefined;
	/** The group that it serves; undefined for a hub that announces no tools. */
	readonly offers?: string | undefined;
	/** The groups that it may call; `*` for all; none when it is empty. */
	readonly calls: readonly string[];
}

/** The name of the member that makes the bucket. */
export const ADMINISTRATOR = 'admin';

export interface ServerConfigOptions {
	readonly members: readonly Member[];
	readonly listen: string;
	/** Files of the certificate and key; undefined on loopback only. */
	readonly tls: TlsFiles | undefined;
	readonly storeDir: string;
	/** Undefined for a server alone. */
	readonly cluster?: ClusterNode | undefined;
}

interface TlsFiles {
	readonly cert: string;
	readonly key: string;
}

/** One node of a cluster, whose routes use TLS in both directions. */
export interface ClusterNode {
	readonly name: string;
	readonly listen: string;
	/** Its addresses for members and for the other nodes. By default NATS advertises its IP addresses, which no certificate has. */
	readonly advertise: { readonly members: string; readonly nodes: string };
	/** Addresses of all nodes for each other, `host:port`. */
	readonly routes: readonly string[];
	/** The address of its monitoring endpoint; on loopback, because that needs no key. */
	readonly monitor: string;
	/** The certificate of the node, and the authority of all nodes. */
	readonly tls: TlsFiles & { readonly ca: string };
}

/** Other nodes pass calls on to one that hangs until they drop its route: by default after minutes. */
const ROUTE_PING = 'ping_interval: "2s", ping_max: 2';

/** The text of the whole file. */
export function serverConfig({ members, listen, tls, storeDir, cluster }: ServerConfigOptions): string {
	const users = members.flatMap((member) => userLines(member));
	return [
		'# Made by mctl fabric config. Start the server with: nats-server -c <this file>',
		'# After a change: nats-server --signal reload',
		...(cluster ? [`server_name: ${JSON.stringify(cluster.name)}`] : []),
		`listen: ${JSON.stringify(listen)}`,
		// A worker that hangs keeps its share of the calls until the server drops it.
		`ping_interval: "${PING_MS / 1000}s"`,
		`ping_max: ${PINGS_OUT}`,
		// The arguments of a call must fit one message.
		'max_payload: 8MB',
		`jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
		...(tls ? [`tls { ${tlsMembers(tls)} }`] : []),
		...(cluster ? clusterLines(cluster, users) : ['authorization {', ...usersBlock(users), '}']),
		'',
	].join('\n');
}

/** An account of its own, so that further tenants can be added beside it, and one for the servers themselves. */
function clusterLines(node: ClusterNode, users: readonly string[]): string[] {
	const { listen, advertise, routes, monitor, tls } = node;
	const urls = routes.map((route) => `tls://${route}`);
	return [
		`http: ${JSON.stringify(monitor)}`,
		`client_advertise: ${JSON.stringify(advertise.members)}`,
		'cluster {',
		`  name: "fabric", listen: ${JSON.stringify(listen)}, advertise: ${JSON.stringify(advertise.nodes)}, ${ROUTE_PING}`,
		`  tls { ${tlsMembers(tls)}, ca_file: ${JSON.stringify(tls.ca)}, verify: true }`,
		`  routes: ${JSON.stringify(urls)}`,
		'}',
		'system_account: SYS',
		'accounts {',
		'SYS {}',
		'FABRIC {',
		'  jetstream: enabled',
		...usersBlock(users),
		'}',
		'}',
	];
}

function tlsMembers({ cert, key }: TlsFiles): string {
	return `cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}, min_version: "1.3"`;
}

function usersBlock(users: readonly string[]): string[] {
	return ['  users: [', ...users.map((line) => `    ${line}`), '  ]'];
}

/** The entry of one user, and of its old key while that is rotated. */
export function userLines(member: Member): string[] {
	const { name, key, retiring } = member;
	const { publish, subscribe } = name === ADMINISTRATOR ? administratorRights() : rightsOf(member);
	const permissions = `publish: { allow: ${JSON.stringify(publish)} }, subscribe: { allow: ${JSON.stringify(subscribe)} }`;
	const line = (nkey: string, about: string): string =>
		`{ nkey: ${nkey}, permissions: { ${permissions} } } # ${about}`;
	return [line(key, name), ...(retiring === undefined ? [] : [line(retiring, `${name}, the old key`)])];
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
		publish: [...api, `$JS.API.DIRECT.GET.${STREAM}`, `orc.ctl.*.${ADMINISTRATOR}.*.*`],
		subscribe: [`${inboxPrefix(ADMINISTRATOR)}.>`, 'orc.cat.>', `orc.out.*.${ADMINISTRATOR}.*.*`],
	};
}

function rightsOf({ name, offers, calls }: Member): Rights {
	const self = encodeToken(name);
	const publish: string[] = [];
	const subscribe = [`${inboxPrefix(name)}.>`];
	if (offers !== undefined) {
		const group = encodeToken(offers);
		publish.push(`orc.out.${self}.*.*.*`, `$KV.${BUCKET}.w.${group}.${self}`, `$KV.${BUCKET}.o.${self}.*`);
		// In the queue group only: outside it would receive the calls of all equal workers.
		subscribe.push(`orc.call.*.${group}.* ${QUEUE_GROUP}`, `orc.to.*.${group}.${self}.*`);
		subscribe.push(`orc.ctl.${self}.*.*.*`);
	}
	if (calls.length > 0) {
		const called = calls.map((group) => (group === '*' ? '*' : encodeToken(group)));
		publish.push(
			...called.flatMap((group) => [`orc.call.${self}.${group}.*`, `orc.to.${self}.${group}.*.*`]),
		);
		publish.push(`orc.ctl.*.${self}.*.*`, `$JS.API.DIRECT.GET.${STREAM}`, `$JS.API.STREAM.INFO.${STREAM}`);
		subscribe.push(`orc.out.*.${self}.*.*`, 'orc.cat.>');
	}
	return { publish, subscribe };
}

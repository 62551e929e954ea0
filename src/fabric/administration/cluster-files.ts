/*
 * The files of the nodes of a NATS cluster: for each a folder with its configuration, its
 * certificate and key, and the authority of all. The authority stays on the machine of the
 * administrator, with the keys of the members; certificates are made once and renewed a
 * month before they expire, when the files are written again.
 */
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { loadIdentity } from '../../link/certificates/certificates.ts';
import { type Member, serverConfig } from './server-config.ts';

/** A server of the cluster; the ports of its routes and of its monitoring follow from that for clients. */
export interface NodeAddress {
	readonly host: string;
	readonly port: number;
}

/** Distances from the client port, which give the default ports of NATS: 4222, 6222 and 8222. */
const ROUTE_PORT = 2000;
const MONITOR_PORT = 4000;
export const CLIENT_PORT = 4222;
const PRIVATE = 0o600;

export interface ClusterFilesOptions {
	readonly nodes: readonly NodeAddress[];
	readonly members: readonly Member[];
	/** Where the authority and the certificates are stored. */
	readonly certsDir: string;
	/** A folder per node is written here. */
	readonly outDir: string;
	/** Where a node will have its files. Default: where they are written. */
	readonly installDir?: string | undefined;
	/** Where a node stores its data. */
	readonly storeDir: string;
}

/** The name and the folder of a node. */
export interface WrittenNode {
	readonly name: string;
	readonly folder: string;
	/** The URL for `fabric.servers`. */
	readonly url: string;
}

export async function writeClusterFiles(options: ClusterFilesOptions): Promise<WrittenNode[]> {
	const { nodes, members, certsDir, outDir, installDir, storeDir } = options;
	const written: WrittenNode[] = [];
	const routes = nodes.map(({ host, port }) => `${host}:${port + ROUTE_PORT}`);
	for (const { host, port } of nodes) {
		const name = port === CLIENT_PORT ? host : `${host}-${port}`;
		const folder = join(outDir, name);
		const identity = await loadIdentity(certsDir, host);
		const at = (file: string): string => join(installDir ?? folder, file);
		const tls = { cert: at('cert.pem'), key: at('key.pem'), ca: at('ca.pem') };
		const cluster = {
			name,
			listen: `0.0.0.0:${port + ROUTE_PORT}`,
			advertise: { members: `${host}:${port}`, nodes: `${host}:${port + ROUTE_PORT}` },
			routes,
			monitor: `127.0.0.1:${port + MONITOR_PORT}`,
			tls,
		};
		const config = serverConfig({
			members,
			listen: `0.0.0.0:${port}`,
			tls,
			storeDir: join(storeDir, name),
			cluster,
		});
		makeFolders(folder, 0o700);
		const write = (file: string, text: string): void =>
			replaceFile(join(folder, file), Buffer.from(text), { mode: PRIVATE });
		write('nats.conf', config);
		write('cert.pem', identity.certificate);
		write('key.pem', identity.key);
		write('ca.pem', identity.ca);
		written.push({ name, folder, url: `tls://${host}:${port}` });
	}
	return written;
}

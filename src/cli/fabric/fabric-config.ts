/* `mctl fabric config`: a configuration for nats-server with one user per invited member, or the files of a cluster. */
import { join, resolve } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import type { NodeAddress } from '../../fabric/administration/cluster-files.ts';
import { LARGEST_PORT } from '../../link/address.ts';
import { type Command, type CommandInput, textFlag, usageError } from '../command.ts';

const LOOPBACK = '127.0.0.1:4222';

export const fabricConfig: Command = {
	usage: 'mctl fabric config [--listen ADDR] [--cert FILE --key FILE] [--cluster HOST,…] [--json]',
	examples: [
		'mctl fabric config > nats.conf',
		'mctl fabric config --listen 0.0.0.0:4222 --cert c.pem --key k.pem',
		'mctl fabric config --cluster n1.lan,n2.lan,n3.lan --out ./nats --install /etc/nats',
	],
	flags: {
		listen: { value: 'ADDR', help: `where the server listens (default ${LOOPBACK})` },
		cert: { value: 'FILE', help: 'certificate of the server, as PEM' },
		key: { value: 'FILE', help: 'key of the certificate' },
		cluster: { value: 'HOST,…', help: 'write the files of these nodes, host or host:port' },
		out: { value: 'DIR', help: 'a folder for the folders of the nodes (default ./nats)' },
		install: { value: 'DIR', help: 'where a node will have its files (default: there)' },
		store: { value: 'DIR', help: 'where the server keeps its data (default ./nats-data)' },
		json: { help: 'print one JSON object with the text as config' },
	},

	async run(input) {
		const { flags, cwd, environment, out } = input;
		if (flags['cluster'] !== undefined) return writeCluster(input);
		for (const name of ['out', 'install'])
			if (flags[name] !== undefined) throw usageError(fabricConfig, `--${name} is for --cluster`);
		const text = (name: string): string | undefined => textFlag(input, name);
		const [cert, key, listen = LOOPBACK] = [text('cert'), text('key'), text('listen')];
		if ((cert === undefined) !== (key === undefined))
			throw usageError(fabricConfig, '--cert and --key are used together');
		const tls =
			cert !== undefined && key !== undefined
				? { cert: resolve(cwd, cert), key: resolve(cwd, key) }
				: undefined;
		if (tls === undefined && !/^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\]):\d+$/.test(listen))
			throw usageError(
				fabricConfig,
				`${listen} can be reached from other machines: it needs --cert and --key`,
			);
		const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
		const { serverConfig } = await import('../../fabric/administration/server-config.ts');
		const members = await MemberKeys.ofUser(environment).members();
		const storeDir = resolve(cwd, text('store') ?? 'nats-data');
		const config = serverConfig({ members, listen, tls, storeDir });
		if (!flags['json']) return out.line(config.trimEnd());
		out.json({ schema: 'orchestra.fabric-config/1', members: members.map(({ name }) => name), config });
	},
};

async function writeCluster(input: CommandInput): Promise<void> {
	const { flags, cwd, environment, out } = input;
	const text = (name: string): string | undefined => textFlag(input, name);
	for (const name of ['listen', 'cert', 'key'])
		if (flags[name] !== undefined)
			throw usageError(fabricConfig, `--${name} is for one server: a cluster has its own certificates`);
	const { MemberKeys } = await import('../../fabric/administration/member-keys.ts');
	const { CLIENT_PORT, writeClusterFiles } = await import('../../fabric/administration/cluster-files.ts');
	const keys = MemberKeys.ofUser(environment);
	const members = await keys.members();
	const nodes = (text('cluster') ?? '').split(',').map((node) => nodeAddress(node.trim(), CLIENT_PORT));
	if (nodes.length < 3 || new Set(nodes.map(({ host, port }) => `${host}:${port}`)).size < nodes.length)
		throw new OrchestraError('bad_input', 'a cluster needs three or more different nodes', {
			hint: 'With two nodes the loss of one stops changes: --cluster n1.lan,n2.lan,n3.lan',
		});
	const written = await writeClusterFiles({
		nodes,
		members,
		certsDir: keys.certificatesFolder,
		outDir: resolve(cwd, text('out') ?? 'nats'),
		installDir: text('install'),
		storeDir: text('store') === undefined ? '/var/lib/nats' : resolve(cwd, text('store') ?? ''),
	});
	const servers = written.map(({ url }) => url);
	const [first] = written;
	const ca = first === undefined ? '' : join(first.folder, 'ca.pem');
	const names = members.map(({ name }) => name);
	if (flags['json'])
		return out.json({ schema: 'orchestra.fabric-config/1', members: names, nodes: written, servers, ca });
	for (const { name, folder } of written) out.line(`${name}  ${folder}`);
	out.line(
		`Copy each folder to its node${text('install') === undefined ? '' : ` as ${text('install')}`}, readable by nats-server only, and start or reload it.`,
	);
	out.line(`Members use "servers": ${JSON.stringify(servers)} and "ca": a copy of ${ca}.`);
}

function nodeAddress(node: string, usualPort: number): NodeAddress {
	const [, host = '', port] = /^([A-Za-z0-9][A-Za-z0-9.-]*)(?::(\d{1,5}))?$/.exec(node) ?? [];
	const address = { host, port: port === undefined ? usualPort : Number(port) };
	if (host !== '' && !/^[\d.]+$/.test(host) && address.port + 4000 <= LARGEST_PORT) return address;
	throw usageError(fabricConfig, `"${node}" is not the name of a host: its certificate needs one`);
}

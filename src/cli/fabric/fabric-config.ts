/* `mctl fabric config`: a configuration for nats-server with one user per invited member. */
import { resolve } from 'node:path';
import { type Command, refuseWords, usageError } from '../command.ts';

const LOOPBACK = '127.0.0.1:4222';

export const fabricConfig: Command = {
	usage: 'mctl fabric config [--listen ADDR] [--cert FILE --key FILE] [--store DIR] [--json]',
	examples: [
		'mctl fabric config > nats.conf',
		'mctl fabric config --listen 0.0.0.0:4222 --cert c.pem --key k.pem',
	],
	flags: {
		listen: { type: 'string', value: 'ADDR', help: `where the server listens (default ${LOOPBACK})` },
		cert: { type: 'string', value: 'FILE', help: 'certificate of the server, as PEM' },
		key: { type: 'string', value: 'FILE', help: 'key of the certificate' },
		store: { type: 'string', value: 'DIR', help: 'where the server keeps its data (default ./nats-data)' },
		json: { type: 'boolean', help: 'print one JSON object with the text as config' },
	},

	async run(input) {
		refuseWords(input, fabricConfig);
		const { flags, cwd, environment, out } = input;
		const text = (name: string): string | undefined =>
			typeof flags[name] === 'string' ? flags[name] : undefined;
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
		const { MemberKeys } = await import('../../fabric/member-keys.ts');
		const { serverConfig } = await import('../../fabric/server-config.ts');
		const members = await MemberKeys.ofUser(environment).members();
		const storeDir = resolve(cwd, text('store') ?? 'nats-data');
		const config = serverConfig({ members, listen, tls, storeDir });
		if (!flags['json']) return out.line(config.trimEnd());
		out.json({ schema: 'orchestra.fabric-config/1', members: members.map(({ name }) => name), config });
	},
};

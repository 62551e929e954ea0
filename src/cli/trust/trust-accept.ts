/* `mctl trust accept`: accept the tools of an MCP server as they are now. */
import { loadConfiguration } from '../../config/load.ts';
import { acceptServer, pinnedEntries } from '../../hub/server-drifts.ts';
import { describeDrift } from '../../hub/sources/mcp/tools/server-pins.ts';
import { printable } from '../../printable.ts';
import { abortable } from '../../rpc/abortable.ts';
import { type Command, usageError } from '../command.ts';
import { refuseUnused } from '../problem-lines.ts';
import { serverNamed } from '../target/server-named.ts';

export const trustAccept: Command = {
	usage: 'mctl trust accept <server> [--sha256 HASH] [--json]',
	examples: ['mctl trust diff github', 'mctl trust accept github'],
	flags: {
		sha256: {
			type: 'string',
			value: 'HASH',
			help: 'only if the tools still are those of this trust diff --json',
		},
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run({ args, flags, out, cwd, environment, signal }) {
		const [name, ...rest] = args;
		if (name === undefined) throw usageError(trustAccept, 'mctl trust accept needs the name of a server');
		if (rest.length > 0) throw usageError(trustAccept, `unexpected argument "${rest[0]}": name one server`);
		const { configuration, problems, blocked } = loadConfiguration({ cwd, environment });
		refuseUnused(name, problems, configuration.mcpServers);
		const entry = serverNamed(pinnedEntries(configuration, environment), name, blocked);
		const expected = typeof flags['sha256'] === 'string' ? flags['sha256'] : undefined;
		const { lockFile, sha256, drifted } = await abortable(
			// Another process may hold the pins for a while: Ctrl-C does not wait for it.
			() => acceptServer(entry, environment, expected),
			signal,
		);
		if (flags['json']) {
			const accepted = drifted.map(({ tool, kind }) => ({ tool, kind }));
			return out.json({ schema: 'orchestra.trust-accept/1', server: name, lockFile, sha256, accepted });
		}
		const what = drifted.length === 0 ? 'nothing had changed' : describeDrift(drifted);
		out.line(printable(`Accepted what ${name} offers (${what}) in ${lockFile}`));
	},
};

/* `mctl trust accept`: accept the tools of an MCP server as they are now. */
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { describeDrift } from '../../hub/backends/mcp/server-pins.ts';
import { acceptServer, pinnedEntries } from '../../hub/server-drifts.ts';
import { printable } from '../../printable.ts';
import { type Command, usageError } from '../command.ts';
import { serverNamed } from '../trust-target.ts';

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

	async run({ words, flags, out, environment, signal }) {
		const [name, ...rest] = words;
		if (name === undefined) throw usageError(trustAccept, 'mctl trust accept needs the name of a server');
		if (rest.length > 0) throw usageError(trustAccept, `unexpected word "${rest[0]}": name one server`);
		const { configuration, problems, heldBack } = loadConfiguration({ cwd: process.cwd(), environment });
		for (const { message } of problems) out.note(`mctl: ${printable(message)}`);
		const entry = serverNamed(pinnedEntries(configuration, environment), name, heldBack);
		const expected = typeof flags['sha256'] === 'string' ? flags['sha256'] : undefined;
		const { lockFile, sha256, drifted } = await Promise.race([
			acceptServer(entry, environment, expected),
			aborted(signal),
		]);
		if (flags['json']) {
			const accepted = drifted.map(({ tool, kind }) => ({ tool, kind }));
			return out.json({ schema: 'orchestra.trust-accept/1', server: name, lockFile, sha256, accepted });
		}
		const what = drifted.length === 0 ? 'nothing had changed' : describeDrift(drifted);
		out.line(printable(`Accepted what ${name} offers (${what}) in ${lockFile}`));
	},
};

/** Another process may hold the pins for a while: Ctrl-C does not wait for it. */
function aborted(signal: AbortSignal): Promise<never> {
	return new Promise((_resolve, reject) => {
		signal.addEventListener('abort', () => reject(OrchestraError.from(signal.reason, 'canceled')), {
			once: true,
		});
	});
}

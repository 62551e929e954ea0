/* The command line of a plugin process, the same in every language. */
import { parseArgs } from 'node:util';
import { messageOf, OrchestraError } from '../../errors.ts';

/** The environment variable for the kind of link: `quic` or `tls`; default: automatic. */
export const LINK_VARIABLE = 'ORCHESTRA_LINK';

export interface PluginFlags {
	/** Undefined: the plugin runs without an orchestrator. */
	orchestratorAddress?: string | undefined;
	listenAddress: string;
	certsDir?: string | undefined;
	/** Print the manifest and exit. */
	printsManifest?: boolean | undefined;
}

/** Parse `--orchestrator-addr --listen-addr --certs-dir --manifest`, with one dash or two. Throws `bad_input`. */
export function parsePluginFlags(args: readonly string[]): PluginFlags {
	try {
		const { values } = parseArgs({
			// Go programs also accept one dash, so starters may use it.
			args: args.map((word) => word.replace(/^-(?=[a-z]{2})/, '--')),
			options: {
				'orchestrator-addr': { type: 'string' },
				'listen-addr': { type: 'string' },
				'certs-dir': { type: 'string' },
				manifest: { type: 'boolean' },
			},
		});
		return {
			orchestratorAddress: values['orchestrator-addr'] || undefined,
			listenAddress: values['listen-addr'] ?? 'localhost:0',
			certsDir: values['certs-dir'] || undefined,
			printsManifest: values.manifest ?? false,
		};
	} catch (cause) {
		throw new OrchestraError('bad_input', messageOf(cause), {
			cause,
			hint: 'Flags: --orchestrator-addr=HOST:PORT --listen-addr=HOST:PORT --certs-dir=FOLDER --manifest',
		});
	}
}

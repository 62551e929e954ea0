/* The command line of a plugin process, the same in every language. */
import { parseArgs } from 'node:util';
import { OrchestraError } from '../../errors.ts';

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

/**
 * Read `--orchestrator-addr --listen-addr --certs-dir --manifest`, with one dash or two. Every other argument is the
 * plugin's own (`args` of its entry) and is left to it. Throws `bad_input` for a flag without its value.
 */
export function parsePluginFlags(args: readonly string[]): PluginFlags {
	const { values } = parseArgs({
		// Go programs take one dash as well, and so do those who start them.
		args: args.map((arg) => arg.replace(/^-(?=[a-z]{2})/, '--')),
		options: {
			'orchestrator-addr': { type: 'string' },
			'listen-addr': { type: 'string' },
			'certs-dir': { type: 'string' },
			manifest: { type: 'boolean' },
		},
		strict: false,
	});
	return {
		orchestratorAddress: textOf(values, 'orchestrator-addr'),
		listenAddress: textOf(values, 'listen-addr') ?? 'localhost:0',
		certsDir: textOf(values, 'certs-dir'),
		printsManifest: values['manifest'] === true,
	};
}

function textOf(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
	const value = values[name];
	if (value === undefined || typeof value === 'string') return value || undefined;
	throw new OrchestraError('bad_input', `--${name} has no value`, {
		hint: 'flags: --orchestrator-addr=HOST:PORT --listen-addr=HOST:PORT --certs-dir=FOLDER --manifest',
	});
}

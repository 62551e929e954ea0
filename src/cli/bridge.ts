/* `mctl bridge`: what an agent starts to reach a hub. */
import type { FindHub } from '../bridge/hub-place.ts';
import { runBridge } from '../bridge/run-bridge.ts';
import { type Command, type CommandInput, usageError } from './command.ts';
import { hubHere } from './hub-location.ts';

export const bridge: Command = {
	usage: 'mctl bridge [--orchestrator-addr HOST:PORT] [--certs-dir DIR]',
	summary: 'Serve MCP on stdin and stdout from a hub; opens no port',
	examples: [
		'mctl bridge',
		'mctl bridge --orchestrator-addr localhost:9100 --certs-dir ~/.orchestra/certs',
		'claude mcp add orchestra -- mctl bridge',
	],
	flags: {
		'orchestrator-addr': {
			type: 'string',
			value: 'HOST:PORT',
			help: 'an orchestrator (default: the shared hub)',
		},
		'certs-dir': { type: 'string', value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
	},
	ownsSignals: true,

	async run(input) {
		if (input.words.length > 0) throw usageError(bridge, `mctl bridge takes no "${input.words[0]}"`);
		const link = input.environment['ORCHESTRA_LINK'];
		await runBridge({
			findHub: hubFinder(input),
			kind: link === 'quic' || link === 'tls' ? link : 'auto',
			say: (line) => input.out.note(line),
			// Output that nobody reads would keep the process for ever.
			onStuck: () => process.exit(0),
		});
	},
};

/** The orchestrator that was named, or the shared hub of this folder, which is started when it does not run. */
function hubFinder(input: CommandInput): FindHub {
	const { 'orchestrator-addr': address, 'certs-dir': folder } = input.flags;
	const certsDir = typeof folder === 'string' ? folder : undefined;
	if (typeof address === 'string' && address !== '') return () => Promise.resolve({ address, certsDir });
	return () => hubHere(input, certsDir);
}

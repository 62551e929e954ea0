/* `mctl bridge`: what an agent starts to reach a hub. */
import type { FindHub } from '../bridge/hub-place.ts';
import { runBridge } from '../bridge/run-bridge.ts';
import { type Command, type CommandInput, usageError } from './command.ts';

export const bridge: Command = {
	usage: 'mctl bridge [--orchestrator-addr HOST:PORT] [--certs-dir DIR]',
	summary: 'Serve MCP on stdin and stdout from a hub; opens no port',
	examples: [
		'mctl bridge --orchestrator-addr localhost:9100',
		'mctl bridge --orchestrator-addr localhost:9100 --certs-dir ~/.orchestra/certs',
		'claude mcp add orchestra -- mctl bridge --orchestrator-addr localhost:9100',
	],
	flags: {
		'orchestrator-addr': { type: 'string', value: 'HOST:PORT', help: 'where the orchestrator listens' },
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
		});
	},
};

function hubFinder({ flags }: CommandInput): FindHub {
	const { 'orchestrator-addr': address, 'certs-dir': certsDir } = flags;
	if (typeof address !== 'string' || address === '') {
		throw usageError(bridge, 'mctl bridge needs --orchestrator-addr HOST:PORT');
	}
	const place = { address, certsDir: typeof certsDir === 'string' ? certsDir : undefined };
	return () => Promise.resolve(place);
}

/* `mctl hub start`: the shared hub in the background. */
import { type Command, refuseWords } from '../command.ts';
import { hubFolderHere, hubHere } from '../hub-location.ts';

export const hubStart: Command = {
	usage: 'mctl hub start [--certs-dir DIR] [--json]',
	examples: ['mctl hub start', 'mctl hub start --json | jq -r .address'],
	flags: {
		'certs-dir': { type: 'string', value: 'DIR', help: 'certificates (default ~/.orchestra/certs)' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		refuseWords(input, hubStart);
		const { flags, out, environment } = input;
		const wasRunning = hubFolderHere(environment).running() !== undefined;
		const certsDir = typeof flags['certs-dir'] === 'string' ? flags['certs-dir'] : undefined;
		const { pid, address, networkAddress, root } = await hubHere(input, certsDir);
		if (flags['json'])
			return out.json({ schema: 'orchestra.hub-start/1', pid, address, networkAddress, root, wasRunning });
		out.line(
			`${wasRunning ? 'The hub was running already' : 'The hub is running'}: pid ${pid}, ${[address, networkAddress].filter(Boolean).join(' and ')}, for ${root}`,
		);
	},
};

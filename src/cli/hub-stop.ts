/* `mctl hub stop`: end the shared hub and everything it started. */
import { stopHub } from '../hub/shared/stop-hub.ts';
import { type Command, refuseWords } from './command.ts';
import { hubFolderHere } from './hub-location.ts';

export const hubStop: Command = {
	usage: 'mctl hub stop [--json]',
	examples: ['mctl hub stop'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseWords(input, hubStop);
		const { flags, out, environment } = input;
		const wasRunning = await stopHub(hubFolderHere(environment));
		if (flags['json']) return out.json({ schema: 'orchestra.hub-stop/1', wasRunning });
		out.line(wasRunning ? 'The hub is stopped.' : 'No hub was running for this folder.');
	},
};

/* `mctl hub stop`: end the shared hub and everything it started. */
import { stopHub } from '../hub/shared/start-hub.ts';
import type { Command } from './command.ts';
import { hubFolderHere } from './hub-location.ts';

export const hubStop: Command = {
	usage: 'mctl hub stop [--json]',
	summary: 'Stop the shared hub of this folder and everything it started',
	examples: ['mctl hub stop'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run({ flags, out, environment }) {
		const wasRunning = await stopHub(hubFolderHere(environment));
		if (flags['json']) return out.json({ schema: 'orchestra.hub-stop/1', wasRunning });
		out.line(wasRunning ? 'The hub is stopped.' : 'No hub was running for this folder.');
	},
};

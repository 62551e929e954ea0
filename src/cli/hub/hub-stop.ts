/* `mctl hub stop`: end the shared hub and everything it started. */
import { HubFolder } from '../../hub/shared/hub-folder.ts';
import { stopHub } from '../../hub/shared/stop-hub.ts';
import { type Command, type CommandInput, refuseArgs } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { runningHubs } from './hub-ls.ts';

export const hubStop: Command = {
	usage: 'mctl hub stop [--all] [--force] [--json]',
	examples: ['mctl hub stop', 'mctl hub stop --all', 'mctl hub stop --force'],
	flags: {
		all: { type: 'boolean', help: 'every hub that you run, of whatever folder' },
		force: { type: 'boolean', help: 'kill it when it does not end within a second' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		refuseArgs(input, hubStop);
		const { flags, out, cwd, environment } = input;
		const isForced = flags['force'] === true;
		if (flags['all']) return stopAll(input, isForced);
		const wasRunning = await stopHub(hubFolderHere({ cwd, environment }), { isForced });
		if (flags['json']) return out.json({ schema: 'orchestra.hub-stop/1', wasRunning });
		out.line(wasRunning ? 'The hub is stopped.' : 'No hub was running for this folder.');
	},
};

async function stopAll({ flags, out, environment }: CommandInput, isForced: boolean): Promise<void> {
	const hubs = runningHubs(environment);
	const ends = await Promise.allSettled(
		hubs.map(({ root, statePath }) => stopHub(new HubFolder(root, environment, statePath), { isForced })),
	);
	const stopped = hubs.filter((_, index) => ends[index]?.status === 'fulfilled').map(({ root }) => root);
	if (flags['json']) out.json({ schema: 'orchestra.hub-stop/1', wasRunning: hubs.length > 0, stopped });
	else for (const root of stopped) out.line(`The hub of ${root} is stopped.`);
	if (hubs.length === 0 && !flags['json']) out.line('No hub was running.');
	for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

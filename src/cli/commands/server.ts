/* `mctl server`: start, stop or restart one MCP server or plugin of the shared hub. */
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { type Command, jsonFlag, usageError } from '../command.ts';
import { controlHub } from '../hub-client/control-hub.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { disabledError, refuseBlocked } from '../target/target-name.ts';

const done = { start: 'is running', stop: 'is stopped; the next call starts it', restart: 'was restarted' };

export const server: Command = {
	usage: 'mctl server <start|stop|restart> <name> [--json]',
	examples: ['mctl server restart files', 'mctl server stop files'],
	flags: { json: jsonFlag },
	args: [2, 2, 'start, stop or restart, and the name of a server'],

	async run({ args, flags, out, cwd, environment, signal }) {
		const [action, name = ''] = args;
		if (action !== 'start' && action !== 'stop' && action !== 'restart')
			throw usageError(server, `mctl server needs start, stop or restart, not "${action}"`);
		const { configuration, blocked } = loadConfiguration({ cwd, environment });
		const entry =
			configuration.mcpServers.find((each) => each.name === name) ??
			configuration.plugins.find(({ id }) => id === name);
		if (entry === undefined) refuseBlocked(name, blocked);
		else if (!entry.isEnabled) throw disabledError(name, entry.file);
		const record = hubFolderHere({ cwd, environment }).running();
		if (record === undefined)
			throw new OrchestraError('closed', 'no shared hub runs for this folder, so no server of it does', {
				hint: 'Start it with: mctl hub start',
			});
		await controlHub(record, { action, server: name }, signal);
		if (flags['json']) return out.json({ schema: 'orchestra.server/1', server: name, action });
		out.line(`${name} ${done[action]}`);
	},
};

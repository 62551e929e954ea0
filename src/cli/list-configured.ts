/* `mctl list servers` and `mctl list plugins`: what the configuration names. */
import { loadConfiguration } from '../config/load.ts';
import { commandLine } from '../process/spawn-record.ts';
import type { Listing } from './listing.ts';

const whenEmpty = 'None is configured. `mctl init` writes a configuration to start from.';

export const serverListing: Listing = {
	headings: ['SERVER', 'KIND', 'STATE', 'COMMAND'],
	whenEmpty,

	async list({ environment }) {
		const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
		const items = configuration.mcpServers.map((server) => ({
			name: server.name,
			kind: server.kind,
			isEnabled: server.isEnabled,
			command: server.kind === 'stdio' ? commandLine(server.record) : server.url,
			file: server.file,
		}));
		const rows = items.map(({ name, kind, isEnabled, command }) => [name, kind, stateOf(isEnabled), command]);
		return { rows, items, problems };
	},
};

export const pluginListing: Listing = {
	headings: ['PLUGIN', 'STATE', 'COMMAND'],
	whenEmpty,

	async list({ environment }) {
		const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
		const items = configuration.plugins.map(({ id, binary, args, isEnabled, file }) => {
			return { id, isEnabled, command: commandLine({ command: binary, args }), file };
		});
		const rows = items.map(({ id, isEnabled, command }) => [id, stateOf(isEnabled), command]);
		return { rows, items, problems };
	},
};

function stateOf(isEnabled: boolean): string {
	return isEnabled ? 'configured' : 'off';
}

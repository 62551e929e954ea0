/* `mctl list plugins`: those that the configuration names. */
import { loadConfiguration } from '../config/load.ts';
import { commandLine } from '../process/spawn-record.ts';
import type { Listing } from './listing.ts';

export const pluginListing: Listing = {
	headings: ['PLUGIN', 'STATE', 'COMMAND'],
	whenEmpty: 'None is configured. `mctl new plugin my-plugin` writes one.',

	async list({ environment }) {
		const { configuration, problems } = loadConfiguration({ cwd: process.cwd(), environment });
		const items = configuration.plugins.map(({ id, binary, args, isEnabled, file }) => {
			return { id, isEnabled, command: commandLine({ command: binary, args }), file };
		});
		const rows = items.map(({ id, isEnabled, command }) => [id, isEnabled ? 'configured' : 'off', command]);
		return { rows, items, problems };
	},
};

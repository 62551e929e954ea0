/* `mctl results ls`: the long results that hubs keep for agents, newest first. */
import { allKept } from '../../hub/results/result-store.ts';
import { type Command, refuseArgs } from '../command.ts';
import { ageOf, byteSize } from '../terminal/quantity.ts';
import { tableLines } from '../terminal/table.ts';

export const resultsLs: Command = {
	usage: 'mctl results ls [--json]',
	examples: ['mctl results ls', 'mctl results ls --json | jq -r .results[0].handle'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, resultsLs);
		const { flags, out, environment } = input;
		const all = await allKept(environment);
		if (flags['json']) {
			const results = all.map(({ handle, tool, client, bytes, mimeType, isPinned, at }) => {
				const keptAt = new Date(at).toISOString();
				return { handle, tool, client, bytes, mimeType, isPinned, keptAt };
			});
			return out.json({ schema: 'orchestra.results/1', results });
		}
		if (all.length === 0) return out.note('mctl: no results are kept');
		const rows = all.map(({ handle, tool, client, bytes, isPinned, at }) => [
			handle,
			byteSize(bytes),
			isPinned ? 'kept' : ageOf(new Date(at).toISOString()),
			client,
			tool,
		]);
		for (const line of tableLines(['HANDLE', 'SIZE', 'AGE', 'CLIENT', 'TOOL'], rows, out.width))
			out.line(line);
	},
};

/* `mctl results keep`: keep a result when its session ends, and beyond its age. */
import { pinResult } from '../../hub/results/result-store.ts';
import type { Command } from '../command.ts';
import { keptNamed } from './kept-named.ts';

export const resultsKeep: Command = {
	usage: 'mctl results keep <handle> [--json]',
	examples: ['mctl results keep r-5f1c0ad2b7e94c1fa0b3d6e8'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		const kept = await keptNamed(input, resultsKeep);
		if (!kept.isPinned) await pinResult(kept, input.environment);
		const { flags, out } = input;
		if (flags['json']) out.json({ schema: 'orchestra.result/1', handle: kept.handle, isKept: true });
		else out.note(`mctl: ${kept.handle} is kept until mctl results drop ${kept.handle}`);
	},
};

/* `mctl results drop`: remove a kept result, also one that `keep` keeps. */
import { rm } from 'node:fs/promises';
import type { Command } from '../command.ts';
import { keptNamed } from './kept-named.ts';

export const resultsDrop: Command = {
	usage: 'mctl results drop <handle> [--json]',
	examples: ['mctl results drop r-5f1c0ad2b7e94c1fa0b3d6e8'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		const kept = await keptNamed(input, resultsDrop);
		await rm(kept.path, { force: true });
		const { flags, out } = input;
		if (flags['json']) out.json({ schema: 'orchestra.result/1', handle: kept.handle, isKept: false });
		else out.note(`mctl: ${kept.handle} is removed`);
	},
};

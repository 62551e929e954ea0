/* `mctl results show`: the whole content of a kept result. */
import { readFile } from 'node:fs/promises';
import type { Command } from '../command.ts';
import { keptNamed } from './kept-named.ts';

export const resultsShow: Command = {
	usage: 'mctl results show <handle>',
	examples: ['mctl results show r-5f1c0ad2b7e94c1fa0b3d6e8 > result.json'],
	flags: {},

	async run(input) {
		const kept = await keptNamed(input, resultsShow);
		await input.out.write((await readFile(kept.path)).subarray(kept.from));
	},
};

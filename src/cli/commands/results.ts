/* `mctl results`: the long results that hubs keep for agents: list, print, ask about, pin and remove them. */

import { readFile, rm } from 'node:fs/promises';
import { OrchestraError } from '../../errors.ts';
import { readLookRequest } from '../../hub/results/look/look-request.ts';
import { LOOK, lookTool } from '../../hub/results/look/look-tool.ts';
import { LookThreads } from '../../hub/results/look/run-look.ts';
import { SELECTED_CHARACTERS } from '../../hub/results/result-limits.ts';
import { allStored, pinResult } from '../../hub/results/result-store.ts';
import type { StoredResult } from '../../hub/results/stored-result.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { inputFromArgs } from '../../tool/input.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { ageOf, byteSize } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';

export const resultsLs: Command = {
	usage: 'mctl results ls [--json]',
	examples: ['mctl results ls', 'mctl results ls --json | jq -r .results[0].handle'],
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, out, environment } = input;
		const all = await allStored(environment);
		if (flags['json']) {
			const results = all.map(({ handle, tool, client, bytes, mimeType, isPinned, at }) => {
				const keptAt = new Date(at).toISOString();
				return { handle, tool, client, bytes, mimeType, isPinned, keptAt };
			});
			return out.json({ schema: 'orchestra.results/1', results });
		}
		if (all.length === 0) return out.info('mctl: no results are stored');
		printTable(out, all, undefined, {
			HANDLE: 'handle',
			SIZE: ({ bytes }) => byteSize(bytes),
			AGE: ({ isPinned, at }) => (isPinned ? 'kept' : ageOf(new Date(at).toISOString())),
			CLIENT: 'client',
			TOOL: 'tool',
		});
	},
};

export const resultsShow: Command = {
	usage: 'mctl results show <handle>',
	examples: ['mctl results show r-5f1c0ad2b7e94c1fa0b3d6e8 > result.json'],
	flags: {},
	args: [1, 1, 'the handle of a result, r-…'],

	async run(input) {
		const result = await resultNamed(input);
		await input.out.write((await readFile(result.path)).subarray(result.from));
	},
};

export const resultsLook: Command = {
	usage: 'mctl results look <handle> <op> [key=value…] [--json]',
	examples: [
		'mctl results look r-5f1c0ad2b7e94c1fa0b3d6e8 count pattern=ERROR',
		'mctl results look r-5f1c0ad2b7e94c1fa0b3d6e8 tail lines=20',
		'mctl results look r-5f1c0ad2b7e94c1fa0b3d6e8 select select="[?state==\'open\'].title"',
	],
	flags: { json: jsonFlag },
	args: [2, Number.POSITIVE_INFINITY, 'the handle of a result and an op, such as head, grep or select'],

	async run(input) {
		const { args, flags, out, signal } = input;
		const result = await resultNamed(input);
		const [, op, ...values] = args;
		const request = readLookRequest({ ...inputFromArgs(values, lookTool(LOOK).inputSchema), op });
		const job = { source: { path: result.path, from: result.from }, request, limit: SELECTED_CHARACTERS };
		const { text, about } = await new LookThreads().run(job, signal);
		if (flags['json']) return out.json({ schema: 'orchestra.look/1', handle: result.handle, text, about });
		if (text !== '') out.foreign(text);
		out.info(`mctl: ${about}`);
	},
};

export const resultsKeep: Command = {
	usage: 'mctl results keep <handle> [--json]',
	examples: ['mctl results keep r-5f1c0ad2b7e94c1fa0b3d6e8'],
	flags: { json: jsonFlag },
	args: [1, 1, 'the handle of a result, r-…'],

	async run(input) {
		const result = await resultNamed(input);
		if (!result.isPinned) await pinResult(result, input.environment);
		const { flags, out } = input;
		if (flags['json']) out.json({ schema: 'orchestra.result/1', handle: result.handle, isKept: true });
		else out.info(`mctl: ${result.handle} is kept until mctl results drop ${result.handle}`);
	},
};

export const resultsDrop: Command = {
	usage: 'mctl results drop <handle> [--json]',
	examples: ['mctl results drop r-5f1c0ad2b7e94c1fa0b3d6e8'],
	flags: { json: jsonFlag },
	args: [1, 1, 'the handle of a result, r-…'],

	async run(input) {
		const result = await resultNamed(input);
		await rm(result.path, { force: true });
		const { flags, out } = input;
		if (flags['json']) out.json({ schema: 'orchestra.result/1', handle: result.handle, isKept: false });
		else out.info(`mctl: ${result.handle} is removed`);
	},
};

/** The result that the first argument names. Throws `not_found` when nothing is stored under it. */
async function resultNamed({ args, environment }: CommandInput): Promise<StoredResult> {
	const [handle = ''] = args;
	const all = await allStored(environment);
	const found = all.find((each) => each.handle === handle.replace('orchestra-result://', ''));
	if (found) return found;
	const handles = all.map((each) => each.handle);
	throw new OrchestraError('not_found', `no result is stored as ${handle}`, {
		hint: didYouMean(nearest(handle, handles), 'mctl results ls shows what is stored.'),
	});
}

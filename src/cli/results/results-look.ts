/* `mctl results look`: ask about a kept result, as agents do with the tool `look`. */
import { readLookRequest } from '../../hub/results/look/look-request.ts';
import { LOOK, lookTool } from '../../hub/results/look/look-tool.ts';
import { LookThreads } from '../../hub/results/look/run-look.ts';
import { SELECTED_CHARACTERS } from '../../hub/results/result-limits.ts';
import { inputFromArgs } from '../../tool/input.ts';
import { type Command, usageError } from '../command.ts';
import { keptNamed } from './kept-named.ts';

export const resultsLook: Command = {
	usage: 'mctl results look <handle> <op> [key=value…] [--json]',
	examples: [
		'mctl results look r-5f1c0ad2b7e94c1fa0b3d6e8 count pattern=ERROR',
		'mctl results look r-5f1c0ad2b7e94c1fa0b3d6e8 tail lines=20',
		'mctl results look r-5f1c0ad2b7e94c1fa0b3d6e8 select select="[?state==\'open\'].title"',
	],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		const { args, flags, out, signal } = input;
		const kept = await keptNamed(input, resultsLook);
		const [, op, ...values] = args;
		if (op === undefined) throw usageError(resultsLook, 'name an op, such as head, grep or select');
		const request = readLookRequest({ ...inputFromArgs(values, lookTool(LOOK).inputSchema), op });
		const job = { source: { path: kept.path, from: kept.from }, request, limit: SELECTED_CHARACTERS };
		const { text, about } = await new LookThreads().run(job, signal);
		if (flags['json']) return out.json({ schema: 'orchestra.look/1', handle: kept.handle, text, about });
		if (text !== '') out.foreign(text);
		out.note(`mctl: ${about}`);
	},
};

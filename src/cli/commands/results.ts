/* `mctl results`: the long results that hubs keep for agents: list, print, ask about, pin and remove them. */
import { allKept, pinResult } from '../../hub/results/result-store.ts';
import { type Command, type CommandInput, refuseArgs, usageError } from '../command.ts';
import { ageOf, byteSize } from '../terminal/quantity.ts';
import { tableLines } from '../terminal/table.ts';
import { readFile, rm } from 'node:fs/promises';
import { readLookRequest } from '../../hub/results/look/look-request.ts';
import { LOOK, lookTool } from '../../hub/results/look/look-tool.ts';
import { LookThreads } from '../../hub/results/look/run-look.ts';
import { SELECTED_CHARACTERS } from '../../hub/results/result-limits.ts';
import { inputFromArgs } from '../../tool/input.ts';
import { OrchestraError } from '../../errors.ts';
import type { KeptResult } from '../../hub/results/kept-result.ts';
import { nearest } from '../../nearest.ts';

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

export const resultsShow: Command = {
	usage: 'mctl results show <handle>',
	examples: ['mctl results show r-5f1c0ad2b7e94c1fa0b3d6e8 > result.json'],
	flags: {},

	async run(input) {
		const kept = await keptNamed(input, resultsShow);
		await input.out.write((await readFile(kept.path)).subarray(kept.from));
	},
};

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

/** Throws `bad_input` without a handle, and `not_found` when nothing is kept under it. */
async function keptNamed(
	{ args, environment }: Pick<CommandInput, 'args' | 'environment'>,
	command: Pick<Command, 'usage'>,
): Promise<KeptResult> {
	const [handle] = args;
	if (handle === undefined) throw usageError(command, 'name the result by its handle, r-…');
	const all = await allKept(environment);
	const found = all.find((each) => each.handle === handle.replace('orchestra-result://', ''));
	if (found) return found;
	const [close] = nearest(
		handle,
		all.map((each) => each.handle),
	);
	throw new OrchestraError('not_found', `no result is kept as ${handle}`, {
		hint: close === undefined ? 'mctl results ls shows what is kept.' : `Did you mean ${close}?`,
	});
}

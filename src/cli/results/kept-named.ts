/* The kept result that a handle names, for the commands about one. */
import { OrchestraError } from '../../errors.ts';
import type { KeptResult } from '../../hub/results/kept-result.ts';
import { allKept } from '../../hub/results/result-store.ts';
import { nearest } from '../../nearest.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';

/** Throws `bad_input` without a handle, and `not_found` when nothing is kept under it. */
export async function keptNamed(
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

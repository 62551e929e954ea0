/* Which of the servers of the clients are imported: all, those that were named, or those that are chosen on the terminal. */
import type { FoundServer } from '../../config/clients/import-plan.ts';
import { OrchestraError } from '../../errors.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { type AskOptions, askLine } from '../terminal/ask-line.ts';

/** The servers of `--only a,b`: by their names in the clients or in our configuration. */
export function namedServers(found: readonly FoundServer[], list: string): FoundServer[] {
	const names = list
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	if (names.length === 0) {
		throw new OrchestraError('bad_input', '--only names no server', {
			hint: 'Write it as --only files,github',
		});
	}
	const chosen = names.flatMap((name) => {
		const matching = found.filter((server) => server.name === name || server.original === name);
		if (matching.length === 0) throw unknownServer(name, found);
		return matching;
	});
	return [...new Set(chosen)];
}

function unknownServer(name: string, found: readonly FoundServer[]): OrchestraError {
	const names = found.map((server) => server.name);
	return new OrchestraError('bad_input', `no client has a server "${name}"`, {
		hint: didYouMean(nearest(name, names), `There are: ${names.join(', ') || 'none'}`),
	});
}

/** Ask for the numbers. Undefined when the answer is no, or the input ends. */
export function askServers(
	found: readonly FoundServer[],
	options: AskOptions,
): Promise<FoundServer[] | undefined> {
	const prompt =
		found.length === 0
			? 'Connect these clients? [Y/n] '
			: 'Import which? Numbers as in 1,3-5 [all], n for none: ';
	const help = `Type numbers from 1 to ${found.length}, or n.`;
	return askLine({ prompt, help, read: (line) => chosenServers(line, found) }, options);
}

/** The choice that an answer means. */
export function chosenServers(
	answer: string,
	found: readonly FoundServer[],
): FoundServer[] | undefined | 'wrong' {
	if (/^n(?:o|one)?$/i.test(answer)) return undefined;
	if (/^(?:y(?:es)?|all)?$/i.test(answer)) return [...found];
	const numbers = answer.split(/[\s,]+/).map(rangeOf);
	const isRight = numbers.every((range) => range !== undefined && range[0] >= 1 && range[1] <= found.length);
	if (!isRight || found.length === 0) return 'wrong';
	return found.filter((_, index) =>
		numbers.some((range) => range && range[0] <= index + 1 && index + 1 <= range[1]),
	);
}

function rangeOf(arg: string): [first: number, last: number] | undefined {
	const [, first, last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(arg) ?? [];
	return first === undefined ? undefined : [Number(first), Number(last)];
}

/*
 * The tools that were called successfully, as the journal has them: what was useful
 * before a restart of the hub is useful after it. The end of the file is enough.
 */
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularTail } from '../../files/regular-file.ts';
import { parseObject } from '../../trust/hash-chain.ts';

/** The end of the journal that is read: a few thousand calls. */
const TAIL_BYTES = 1024 * 1024;

/** One name for each call. Empty without a readable journal: it is a hint, not a need. */
export function toolsInJournal(file: string | undefined): string[] {
	if (file === undefined) return [];
	try {
		assertPrivate(file);
		return readRegularTail(file, TAIL_BYTES).toString('utf8').split('\n').flatMap(toolOf);
	} catch {
		return [];
	}
}

function toolOf(line: string): string[] {
	const { method, outcome, name } = parseObject(line) ?? {};
	return method === 'tools/call' && outcome === 'ok' && typeof name === 'string' ? [name] : [];
}

/*
 * The tools that were called successfully, as the journal has them: what was useful
 * before a restart of the hub is useful after it. The end of the file is enough.
 */
import { attempt } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularTail } from '../../files/regular-file.ts';
import { jsonObject } from '../../wire/json.ts';
import { JOURNAL_END_BYTES } from './expose-limits.ts';

/** One name for each call. Empty without a readable journal: it is a hint, not a need. */
export function toolsInJournal(file: string | undefined): string[] {
	if (file === undefined) return [];
	return attempt(() => {
		assertPrivate(file);
		return readRegularTail(file, JOURNAL_END_BYTES).toString('utf8').split('\n').flatMap(toolOf);
	}, []);
}

function toolOf(line: string): string[] {
	const { method, outcome, name } = jsonObject(line) ?? {};
	return method === 'tools/call' && outcome === 'ok' && typeof name === 'string' ? [name] : [];
}

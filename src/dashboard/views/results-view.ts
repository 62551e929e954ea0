/* The long results that are stored for agents, whole and as their agent got them, for the page. */
import { OrchestraError } from '../../errors.ts';
import { PAGE_LIMIT_BYTES } from '../../hub/results/result-limits.ts';
import { readResultPage } from '../../hub/results/result-page.ts';
import { allStored } from '../../hub/results/result-store.ts';
import { readSent, type StoredResult } from '../../hub/results/stored-result.ts';
import type { ResultReply, ResultsReply, StoredResultRow } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

/** All results, or the one of this handle. */
export async function resultsReply(
	{ environment }: Pick<DashboardDeps, 'environment'>,
	handle?: string,
): Promise<ResultsReply | ResultReply> {
	const all = await allStored(environment);
	if (handle === undefined) return { results: all.map(rowOf) };
	const stored = all.find((each) => each.handle === handle);
	if (stored === undefined)
		throw new OrchestraError('not_found', `the page has no result ${handle}`, {
			hint: 'Its session may have ended: see them with `mctl results ls`.',
		});
	if (!stored.isText) return { ...rowOf(stored), text: null, isWhole: false, shortened: null };
	const { text = '' } = await readResultPage(`${handle}?length=${PAGE_LIMIT_BYTES}`, stored);
	const isWhole = stored.bytes <= PAGE_LIMIT_BYTES;
	return { ...rowOf(stored), text, isWhole, shortened: (await readSent(stored)) ?? null };
}

function rowOf({ handle, tool, client, bytes, mimeType, isPinned, at }: StoredResult): StoredResultRow {
	return { handle, tool, client, bytes, mimeType, isPinned, keptAt: new Date(at).toISOString() };
}

/* The long results that are stored for agents, whole and as their agent got them, for the page. */
import { OrchestraError } from '../../errors.ts';
import { PAGE_LIMIT_BYTES } from '../../hub/results/result-limits.ts';
import { readResultPage } from '../../hub/results/result-page.ts';
import { allStored } from '../../hub/results/result-store.ts';
import { readSent, type SentForm, type StoredResult } from '../../hub/results/stored-result.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

/** A stored result. */
export interface StoredResultRow
	extends Pick<StoredResult, 'handle' | 'tool' | 'client' | 'bytes' | 'mimeType' | 'isPinned'> {
	readonly keptAt: string;
}

/** Newest first. */
export interface ResultsReply {
	readonly results: readonly StoredResultRow[];
}

/** One stored result in both forms. */
export interface ResultReply extends StoredResultRow {
	/** The first 1 MiB; null for an image or other bytes. */
	readonly text: string | null;
	/** Whether `text` is all of it. */
	readonly isWhole: boolean;
	/** The form that its agent got; null when that was all of it, or another answer. */
	readonly shortened: SentForm | null;
}

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

/* The long results that are kept for agents, whole and as their agent got them, for the page. */
import { readFile } from 'node:fs/promises';
import { OrchestraError } from '../../errors.ts';
import { ClientBudgets } from '../../hub/results/client-budgets.ts';
import { LOOK } from '../../hub/results/look/look-tool.ts';
import { PAGE_LIMIT_BYTES, SHORTENED_BYTES } from '../../hub/results/result-limits.ts';
import { readResultPage } from '../../hub/results/result-page.ts';
import { allStored } from '../../hub/results/result-store.ts';
import { resultText, shortenText } from '../../hub/results/shorten-result.ts';
import type { StoredResult } from '../../hub/results/stored-result.ts';
import { estimateTokens } from '../../library/match/tokens.ts';
import { serverNamesOf } from '../../trust/tool-name.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

/** A kept result. */
export interface StoredResultRow
	extends Pick<StoredResult, 'handle' | 'tool' | 'client' | 'bytes' | 'mimeType' | 'isPinned'> {
	readonly keptAt: string;
}

/** Newest first. */
export interface ResultsReply {
	readonly results: readonly StoredResultRow[];
}

/** One kept result in both forms. */
export interface ResultReply extends StoredResultRow {
	/** The first 1 MiB; null for an image or other bytes. */
	readonly text: string | null;
	/** Whether `text` is all of it. */
	readonly isWhole: boolean;
	/** As its agent gets it with the settings of now; null when that is all of it, or it is too long to be shortened here. */
	readonly shortened: { readonly budgetTokens: number; readonly text: string } | null;
}

/** All results, or the one of this handle. */
export async function resultsReply(
	deps: Pick<DashboardDeps, 'environment' | 'opened'>,
	handle?: string,
): Promise<ResultsReply | ResultReply> {
	const all = await allStored(deps.environment);
	if (handle === undefined) return { results: all.map(rowOf) };
	const kept = all.find((each) => each.handle === handle);
	if (kept === undefined)
		throw new OrchestraError('not_found', `the page has no result ${handle}`, {
			hint: 'Its session may have ended: see them with `mctl results ls`.',
		});
	const isWhole = kept.bytes <= PAGE_LIMIT_BYTES;
	if (!kept.isText) return { ...rowOf(kept), text: null, isWhole: false, shortened: null };
	const { text = '' } = await readResultPage(`${handle}?length=${PAGE_LIMIT_BYTES}`, kept);
	return { ...rowOf(kept), text, isWhole, shortened: await shortenedForm(kept, deps) };
}

async function shortenedForm(
	kept: StoredResult,
	{ opened }: Pick<DashboardDeps, 'opened'>,
): Promise<ResultReply['shortened']> {
	const toolName = serverNamesOf(opened.configuration().mcpServers).read(kept.tool);
	const budgetTokens = new ClientBudgets(() => opened.configuration()).usual(kept.client, toolName);
	if (budgetTokens === 0 || kept.bytes > SHORTENED_BYTES) return null;
	const whole = resultText((await readFile(kept.path)).toString('utf8', kept.from));
	if (estimateTokens(whole.text) <= budgetTokens) return null;
	const { shown, notice } = shortenText(whole, budgetTokens, {
		handle: kept.handle,
		look: LOOK,
		isError: false,
	});
	return { budgetTokens, text: `${shown}\n${notice}` };
}

function rowOf({ handle, tool, client, bytes, mimeType, isPinned, at }: StoredResult): StoredResultRow {
	return { handle, tool, client, bytes, mimeType, isPinned, keptAt: new Date(at).toISOString() };
}

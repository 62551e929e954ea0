/* A result above the budget of its client becomes its first part and a handle. Its hash in the journal is that of the whole. */
import { estimateTokensOf } from '../../library/match/tokens.ts';
import { after } from '../../mcp/server/methods.ts';
import type { Answer } from '../../protocol/mcp-types.ts';
import { MESSAGE_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import type { Journal, JournalTokens } from '../journal/journal.ts';
import type { ResultSource } from '../results/result-source.ts';
import { countCharacters } from '../results/value-size.ts';
import type { HubCall } from './hub-call.ts';
import { aroundCalls, type Middleware } from './middleware.ts';

/** @param journal gets the tokens that are spared */
export function shortenAnswers(results: ResultSource, journal: Journal): Middleware {
	return aroundCalls((call, inner) => {
		if (call.method !== 'tools/call' || call.target.way || call.target.source === results)
			return inner.request(call);
		const select = results.answers.takeSelect(call);
		return after(inner.request(call), (answer) =>
			after(
				select === undefined
					? results.answers.shorten(answer, call)
					: results.answers.select(answer, call, select),
				(shortened) => {
					if (shortened !== answer) journal.writeTokens?.(sparedBy(call, answer, shortened));
					return shortened;
				},
			),
		);
	});
}

function sparedBy({ client, backend, name }: HubCall, answer: Answer, shortened: Answer): JournalTokens {
	const characters =
		countCharacters(answer, MESSAGE_LIMIT_BYTES) - countCharacters(shortened, MESSAGE_LIMIT_BYTES);
	const tokens = { budget: estimateTokensOf(Math.max(0, characters)) };
	return { at: new Date(), client, backend, tool: name, tokens };
}

/* The section `results`, and its keys for one client and one server: how much of a result an agent gets. */
import type { ClientResults, ResultsSection, ServerResults } from '../configuration.ts';
import { LEAST_BUDGET_TOKENS } from '../defaults.ts';
import { byName, flag, type Keys, key, mapOf, object, type Shape } from '../key.ts';

/** 0, or enough for the notice about what was left out. */
const budget: Shape<number> = {
	read: (field) => {
		const tokens = field.countOrZero();
		if (tokens === undefined || tokens === 0 || tokens >= LEAST_BUDGET_TOKENS) return tokens;
		return field.report(`0, or at least ${LEAST_BUDGET_TOKENS} tokens`);
	},
	schema: { type: 'integer', minimum: 0 },
};

const clientResultKeys: Keys<ClientResults> = {
	budgetTokens: key(budget, {
		about:
			'most tokens of a result; of a longer one the client gets the first part and a handle for the tool `look` ([results](results.md)); 0 is no limit; default: 8000 for known agents, else 0',
	}),
	unchanged: key(flag, {
		about:
			'whether a repeated call of a read-only tool with the same result is answered with the handle of the earlier one; default: false',
	}),
	compact: key(flag, {
		about:
			'whether arrays of objects with the same keys are sent as a table where that is smaller; default: false',
	}),
};

export const resultKeys: Keys<ResultsSection> = {
	...clientResultKeys,
	tools: key(mapOf(budget), {
		about:
			'`budgetTokens` of single tools, by a pattern as in a [policy](policy.md); for clients that have a budget',
		empty: {},
		merge: byName,
	}),
};

/** The keys in an entry of `clients`. */
export const clientResults: Shape<ClientResults> = object(clientResultKeys);

/** The keys in an entry of `mcpServers`. */
export const serverResults: Shape<ServerResults> = object<ServerResults>({
	budgetTokens: key(budget, { about: 'most tokens of its results, for clients that have a budget' }),
});

/* The section `results`, and its keys for one client and one server: how much of a result an agent gets. */
import { LEAST_BUDGET_TOKENS } from '../defaults.ts';
import { byName, checked, countOrZero, flag, key, mapOf, object } from '../key.ts';

/** 0, or enough for the notice about what was left out. */
const budget = checked(
	countOrZero,
	(tokens) => tokens === 0 || tokens >= LEAST_BUDGET_TOKENS,
	`0, or at least ${LEAST_BUDGET_TOKENS} tokens`,
);

export const clientResultKeys = {
	budgetTokens: key(
		budget,
		'most tokens of a [result](results.md), 0 for any number; default: 8000 for known agents, else 0',
	),
	unchanged: key(
		flag,
		'whether a repeated call of a read-only tool with the same result is answered with the handle of the earlier one; default: false',
	),
	compact: key(
		flag,
		'whether arrays of objects with the same keys are sent as a table where that is smaller; default: false',
	),
};

export const resultKeys = {
	...clientResultKeys,
	tools: key(
		mapOf(budget),
		'`budgetTokens` of single tools, by a pattern as in a [policy](policy.md); for clients that have a budget',
		{ empty: {}, merge: byName },
	),
};

/** The keys in an entry of `mcpServers`. */
export const serverResults = object({
	budgetTokens: key(budget, 'most tokens of its results, for clients that have a budget'),
});

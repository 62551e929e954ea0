/* Settings of results for tests. */

export const noResults: { budgetTokens: undefined; unchanged: undefined; compact: undefined } = {
	budgetTokens: undefined,
	unchanged: undefined,
	compact: undefined,
};

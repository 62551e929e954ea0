/** Whether the long tests run too: ORCHESTRA_TESTS=all, as `npm run test:all` sets it. */
export const runsAllTests: boolean = process.env['ORCHESTRA_TESTS'] === 'all';

/** All cases, or the first and the last of them in a short run. */
export function someOf<Case>(cases: readonly Case[]): readonly Case[] {
	return runsAllTests ? cases : cases.filter((_, at) => at === 0 || at === cases.length - 1);
}

/** Whether the long tests run too: ORCHESTRA_TESTS=all, as `npm run test:all` sets it. */
export const runsAllTests: boolean = process.env['ORCHESTRA_TESTS'] === 'all';

/** All cases, or the first of them in a short run: the others are variants of the same behaviour. */
export function firstOf<Case>(cases: readonly Case[]): readonly Case[] {
	return runsAllTests ? cases : cases.slice(0, 1);
}

/** All cases, or the first and the last of them in a short run. */
export function someOf<Case>(cases: readonly Case[]): readonly Case[] {
	return runsAllTests ? cases : cases.filter((_, at) => at === 0 || at === cases.length - 1);
}

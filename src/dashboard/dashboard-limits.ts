/* Every limit of the dashboard. Tests pass smaller ones. */

export interface DashboardLimits {
	/** How long a login code can be used, in milliseconds. */
	readonly codeMs: number;
	/** Login codes that nobody used yet. */
	readonly codes: number;
	/** A browser that sends nothing for this time must log in again, in milliseconds. */
	readonly loginMs: number;
	readonly logins: number;
	/** Longest body of a request, in bytes. */
	readonly bodyBytes: number;
	readonly eventStreams: number;
	/** Unread bytes of a stream above which events and messages are dropped. */
	readonly unreadBytes: number;
	/** Interval of the events, in milliseconds. */
	readonly tickMs: number;
	/** Interval of `state` and of the look for approvals, in milliseconds. */
	readonly stateMs: number;
	/** Interval of `ping` on a stream without other events, in milliseconds. */
	readonly pingMs: number;
	/** Rows of one `calls` event. */
	readonly eventRows: number;
	/** Lines of one `log` event. */
	readonly eventLines: number;
	/** How long calls are followed after the last request of a page, in milliseconds. */
	readonly followMs: number;
	/** Calls that are kept. */
	readonly calls: number;
	/** Calls whose arguments, progress and errors are kept: the last ones, and as many that failed or were slow. */
	readonly details: number;
	/** All of that, in characters. */
	readonly detailCharacters: number;
	/** A call is slow from this time on, in milliseconds. */
	readonly slowMs: number;
	/** Calls of the page in flight. */
	readonly pageCalls: number;
	/** Commands that run for the page. */
	readonly commandsAtOnce: number;
	/** How long a command may take, in milliseconds. A sign-in waits for the user. */
	readonly commandMs: number;
	/** Longest answer of a command, in characters. */
	readonly commandAnswerCharacters: number;
	/** Longest line of a command besides its answer, in bytes. */
	readonly commandLineBytes: number;
}

export const defaultDashboardLimits: DashboardLimits = {
	codeMs: 5 * 60_000,
	codes: 16,
	loginMs: 12 * 60 * 60_000,
	logins: 64,
	bodyBytes: 10 * 1024 * 1024,
	eventStreams: 64,
	unreadBytes: 256 * 1024,
	tickMs: 250,
	stateMs: 1000,
	pingMs: 10_000,
	eventRows: 100,
	eventLines: 200,
	followMs: 60_000,
	calls: 100_000,
	details: 2000,
	detailCharacters: 32 * 1024 * 1024,
	slowMs: 1000,
	pageCalls: 32,
	commandsAtOnce: 4,
	commandMs: 10 * 60_000,
	commandAnswerCharacters: 4 * 1024 * 1024,
	commandLineBytes: 64 * 1024,
};

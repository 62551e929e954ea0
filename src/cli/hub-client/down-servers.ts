/* Why a server is down, for users. */
import type { SourceReport } from '../../hub/source-status.ts';
import { timeUntil } from '../terminal/quantity.ts';

type DownServer = Pick<SourceReport, 'name' | 'lastError' | 'nextTryAt' | 'state'>;

/** Why a server is down, and when it is started again. */
export function downLines({ name, lastError, nextTryAt, state }: DownServer): string[] {
	if (lastError === null || state === 'ready') return [];
	const next = nextTryAt === null ? '' : `\nnext try: ${timeUntil(nextTryAt)}`;
	return [`${downText(name, state, lastError)}${next}`];
}

/** Most errors of a server that failed begin with its name. */
export function downText(name: string, state: string, lastError: string): string {
	const isNamed = lastError.replace(/^the (?:MCP server|plugin) /, '').startsWith(`${name} `);
	return state === 'failed' && isNamed ? lastError : `${name} is ${state}: ${lastError}`;
}

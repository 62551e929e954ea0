/* Why a server is down, for people. */

import type { ServerDetails } from '../hub/shared/hub-details.ts';
import { timeUntil } from './terminal/quantity.ts';

type DownServer = Pick<ServerDetails, 'name' | 'lastError' | 'nextTryAt'> & { readonly state: string };

/** Why a server is down, and when it is started again. */
export function downNotes({ name, lastError, nextTryAt, state }: DownServer): string[] {
	if (lastError === null || state === 'ready') return [];
	const next = nextTryAt === null ? '' : `\nnext try: ${timeUntil(nextTryAt)}`;
	return [`${name} is ${state}: ${lastError}${next}`];
}

/* The skills of all sources for a search, which does not wait long for them. */
import type { Skill } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import type { Handler } from './compose.ts';

/** How long a search waits for the skills of servers that start, in milliseconds. */
const SKILLS_WAIT_MS = 200;

/** None when they take too long: the search is about something else. */
export async function skillsSoon(listed: ReturnType<Handler['list']>): Promise<readonly Skill[]> {
	const list = await within(Promise.resolve(listed), SKILLS_WAIT_MS);
	// What is listed are skills.
	return (list?.items ?? []) as readonly Skill[];
}

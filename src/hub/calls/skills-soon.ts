/* The skills of all sources for a search, which does not wait long for them. */
import type { Skill } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { SKILLS_WAIT_MS } from '../hub-limits.ts';
import type { Handler } from './middleware.ts';

/** None when they take too long: the search is about something else. */
export async function skillsSoon(listed: ReturnType<Handler['list']>): Promise<readonly Skill[]> {
	const list = await within(Promise.resolve(listed), SKILLS_WAIT_MS);
	// What is listed are skills.
	return (list?.items ?? []) as readonly Skill[];
}

/*
 * Skills in the answer of a search over the library (`orchestr8://match?query=…`): those of servers and of the
 * project, as entries behind the documents, in what is left of its token budget. The library's own are its documents.
 */

import type { Log } from '../../log.ts';
import { after } from '../../mcp/server/methods.ts';
import { type Answer, answerValue, type Result, type Skill } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { isObject } from '../../wire/json.ts';
import { memoized } from '../../wire/memoized.ts';
import { LIBRARY_LABEL } from '../catalogue/names.ts';
import type { SkillSearch } from '../expose/skill-search.ts';
import { SKILLS_WAIT_MS } from '../hub-limits.ts';
import { aroundCalls, type Handler, type Middleware } from './middleware.ts';

/** The beginning of a search URI; its parameters follow. */
const MATCH = /^orchestr8:\/\/(?:skills?\/)?match\?/i;

export function matchSkills(log: Log): Middleware {
	let search: Promise<SkillSearch> | undefined;
	const open = async (): Promise<SkillSearch> =>
		new (await import('../expose/skill-search.ts')).SkillSearch(log);
	return aroundCalls((call, inner) => {
		if (call.method !== 'resources/read' || !MATCH.test(call.name)) return inner.request(call);
		const { client, context } = call;
		return after(inner.request(call), async (answer) => {
			const skills = othersIn(await skillsSoon(inner.list('skills', { client, context })));
			search ??= open();
			return skills.length === 0 ? answer : withSkills(answer, call.name, skills, await search);
		});
	});
}

async function withSkills(
	answer: Answer,
	uri: string,
	skills: readonly Skill[],
	search: SkillSearch,
): Promise<Answer> {
	const { parseUri } = await import('../../library/uri.ts');
	const { readMatchRequest } = await import('../../library/match/match-request.ts');
	const { estimateTokens } = await import('../../library/match/tokens.ts');
	const parsed = parseUri(uri);
	const value: Result = answerValue(answer);
	const [content, ...others] = Array.isArray(value['contents']) ? value['contents'] : [];
	const text = isObject(content) ? content['text'] : undefined;
	if (parsed?.kind !== 'match' || typeof text !== 'string') return answer;
	const { query, tags, categories, maxTokens } = readMatchRequest(undefined, parsed.parameters);
	// No skill has a tag or a category of the library.
	if (tags.length + categories.length > 0) return answer;
	const [title = '', ...lines] = (await search.lines(skills, query)).split('\n');
	while (lines.length > 0) {
		const whole = [text, '', title, ...lines].join('\n');
		if (estimateTokens(whole) <= maxTokens)
			return { ...value, contents: [{ ...content, text: whole }, ...others] };
		lines.pop();
	}
	return answer;
}

/** The skills without those of the library. The same array for the same skills: the index compares it. */
const othersIn = memoized((skills: readonly Skill[]): readonly Skill[] =>
	skills.filter(({ uri }) => !uri.startsWith(`skill://${LIBRARY_LABEL}/`)),
);

/** The skills of all sources for a search; none when they take too long, since it is about something else. */
export async function skillsSoon(listed: ReturnType<Handler['list']>): Promise<readonly Skill[]> {
	const list = await within(Promise.resolve(listed), SKILLS_WAIT_MS);
	// What is listed are skills.
	return (list?.items ?? []) as readonly Skill[];
}

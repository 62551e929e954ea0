/*
 * Skills for an agent that searches tools: those that fit a query, and those that name a tool in the
 * front matter (`metadata: {"orchestra.tools": "files__read_* git__log"}`). They are ranked as tools are,
 * by an index of their own, and shown only when they hold most of the query.
 */

import type { Log } from '../../log.ts';
import type { Skill } from '../../protocol/mcp-types.ts';
import { ServerNames } from '../../trust/tool-name.ts';
import { anyToolPattern } from '../../trust/tool-pattern.ts';
import { memoized } from '../../wire/memoized.ts';
import { toolsOfSkill } from '../skills/skill-tools.ts';
import { FOUND_SKILL_CHARACTERS } from './expose-limits.ts';
import { type ExposedTool, firstSentence } from './tool-document.ts';
import { ToolIndex } from './tool-index.ts';
import { ToolUsage } from './tool-usage.ts';

/** A hit with this score holds most of the query; others are looked for a little longer, or not at all. */
export const GOOD_SCORE = 60;
/** Most skills in one answer. */
const SHOWN = 3;

export class SkillSearch {
	readonly #index: ToolIndex;
	readonly #exposedOf = memoized((skills: readonly Skill[]) => skills.map(asTool));

	constructor(log: Log) {
		this.#index = new ToolIndex(new ToolUsage(), log);
	}

	/** One line for each skill that fits a query; empty when none does. */
	async lines(skills: readonly Skill[], query: string): Promise<string> {
		if (skills.length === 0) return '';
		const exposed = this.#exposedOf(skills);
		const hits = await this.#index.search(exposed, { query, limit: SHOWN });
		const found = hits.filter(({ score }) => score >= GOOD_SCORE).map(({ id }) => id);
		const byUri = new Map(exposed.map(({ tool }) => [tool.name, tool.description ?? '']));
		const lines = found.map(
			(uri) => `${uri}: ${firstSentence(byUri.get(uri) ?? '', FOUND_SKILL_CHARACTERS)}`,
		);
		return lines.length === 0 ? '' : `Skills, to read with resources/read:\n${lines.join('\n')}`;
	}
}

/** The URIs of the skills that say that they use a tool. */
export function skillsUsing(name: string, skills: readonly Skill[], servers: readonly string[]): string[] {
	const names = new ServerNames([...servers]);
	const tool = names.read(name);
	return skills.filter((skill) => anyToolPattern(toolsOfSkill(skill), names)(tool)).map(({ uri }) => uri);
}

function asTool({ uri, frontmatter }: Skill): ExposedTool {
	const { name, description } = frontmatter;
	const tool = { name: uri, title: String(name), description: String(description), inputSchema: {} };
	return { tool, server: '' };
}

/* The tools that a skill says it uses: `metadata: {"orchestra.tools": "files__read_* git__log"}` in its front matter. */
import type { Skill } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';

/** The key of `metadata` that names tools. */
const TOOLS_KEY = 'orchestra.tools';

/** Names and patterns of tools, as it has them. */
export function toolsOfSkill({ frontmatter }: Skill): string[] {
	const { metadata } = frontmatter;
	const named = isObject(metadata) ? metadata[TOOLS_KEY] : undefined;
	return typeof named === 'string' ? (named.match(/[^\s,]+/g) ?? []) : [];
}

/* What a client of skills refuses: files outside of their skill, and lists that are none. */
import { describe, expect, it } from 'vitest';
import { pathInSkill, skillFiles } from '../../../src/library/skills/verify-skill.ts';
import type { Skill, SkillFile } from '../../../src/protocol/mcp-types.ts';

describe('the path of a file in its skill', () => {
	it('is decoded', () => {
		expect(pathInSkill(skillWith([]), 'skill://docs/pdf/a%20b/c.md')).toBe('a b/c.md');
	});

	it.each([
		'skill://docs/other/SKILL.md',
		'skill://docs/pdf/../x',
		'skill://docs/pdf/%2e%2e%2fx',
		'skill://docs/pdf/a//b',
		'skill://docs/pdf/C:%5Cx',
		'skill://docs/pdf/%00',
		'skill://docs/pdf/%zz',
	])('is refused for %s', (uri) => {
		expect(() => pathInSkill(skillWith([]), uri)).toThrow(`${uri} is not used`);
	});
});

describe('the files of a skill', () => {
	const file = (name: string, size: number): SkillFile => ({
		uri: `skill://docs/pdf/${name}`,
		digest: `sha256:${'0'.repeat(64)}`,
		size,
	});

	it.each([
		['one more than the bound', Array.from({ length: 513 }, (_, at) => file(String(at), 1))],
		['one byte more than the bound', [file('a', 16 * 1024 * 1024), file('b', 1)]],
		['a size that hides that of another', [file('a', 1e9), file('b', -1e9)]],
	])('are refused with %s', (_, files) => {
		expect(() => skillFiles(skillWith(files))).toThrow('is not used');
	});
});

function skillWith(resources: SkillFile[]): Skill {
	return { uri: 'skill://docs/pdf/SKILL.md', frontmatter: { name: 'pdf', description: 'PDF' }, resources };
}

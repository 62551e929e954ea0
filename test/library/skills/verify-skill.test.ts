/* What a client of skills refuses: files outside of their skill, and lists that are none. */
import { describe, expect, it } from 'vitest';
import { pathsInSkill, skillFiles } from '../../../src/library/skills/verify-skill.ts';
import type { Skill, SkillFile } from '../../../src/protocol/mcp-types.ts';

const page = file('SKILL.md', 1);

describe('the path of a file in its skill', () => {
	it('is decoded', () => {
		const paths = pathsInSkill(skillWith([page, file('a%20b/c.md', 1)]));
		expect([...paths.values()]).toEqual(['SKILL.md', 'a b/c.md']);
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
		expect(() => pathsInSkill(skillWith([page, { ...page, uri }]))).toThrow(`${uri} is not used`);
	});

	it.each([
		['SKILL.md, under another URI', ['SKILL%2Emd']],
		['SKILL.md, where case does not count', ['Skill.md']],
		['the same letter, composed otherwise', ['caf%C3%A9', 'cafe%CC%81']],
		['a folder of another', ['a/b', 'A']],
	])('is refused when it is %s', (_, names) => {
		const files = names.map((name) => file(name, 1));
		expect(() => pathsInSkill(skillWith([page, ...files]))).toThrow('another file of its skill');
	});

	it('is refused when the skill does not list its SKILL.md', () => {
		expect(() => pathsInSkill(skillWith([file('a', 1)]))).toThrow('does not list it');
	});
});

describe('the files of a skill', () => {
	it.each([
		['one more than the bound', Array.from({ length: 513 }, (_, at) => file(String(at), 1))],
		['one byte more than the bound', [file('a', 16 * 1024 * 1024), file('b', 1)]],
		['a size that hides that of another', [file('a', 1e9), file('b', -1e9)]],
	])('are refused with %s', (_, files) => {
		expect(() => skillFiles(skillWith(files))).toThrow('is not used');
	});
});

function file(name: string, size: number): SkillFile {
	return { uri: `skill://docs/pdf/${name}`, digest: `sha256:${'0'.repeat(64)}`, size };
}

function skillWith(resources: SkillFile[]): Skill {
	return { uri: 'skill://docs/pdf/SKILL.md', frontmatter: { name: 'pdf', description: 'PDF' }, resources };
}

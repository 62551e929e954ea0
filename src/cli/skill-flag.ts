/* The skill that `--skill` names: the view of the tools that it uses, and its text as the first instructions. */
import { OrchestraError } from '../errors.ts';
import { skillView } from '../hub/expose/tool-filter.ts';
import { INSTRUCTIONS_CHARACTERS } from '../hub/hub-limits.ts';
import { toolsOfSkill } from '../hub/skills/skill-tools.ts';
import { readFrontMatter } from '../library/files/front-matter.ts';
import { SKILL_SERVERS_WAIT_MS } from './cli-limits.ts';
import { type Command, type CommandInput, usageError } from './command.ts';

export interface SkillSelection {
	readonly view: string;
	readonly instructions: string;
}

/** Undefined without the flag. Throws `not_found` with the nearest name when there is no such skill. */
export async function skillOfFlag(
	input: CommandInput,
	command: Command,
	file?: string,
): Promise<SkillSelection | undefined> {
	const { skill: wanted, view } = input.flags;
	if (typeof wanted !== 'string') return undefined;
	if (view !== undefined) throw usageError(command, '--skill is a view: it cannot be given with --view');
	const { nameOf, withSkills } = await import('./skills/skills.ts');
	const chosen = async ({ named, read }: Parameters<Parameters<typeof withSkills>[1]>[0]) => {
		const skill = await named(wanted);
		const tools = toolsOfSkill(skill);
		if (tools.length === 0)
			throw new OrchestraError('bad_input', `the skill ${wanted} names no tools`, {
				hint: 'Name them in its front matter: metadata: { "orchestra.tools": "files__read_* git__log" }.',
			});
		const { body } = readFrontMatter((await read(skill, skill.uri)).toString('utf8'));
		return { view: skillView(nameOf(skill), tools), instructions: bounded(body.trim(), skill.uri) };
	};
	return withSkills(input, chosen, { listWaitMs: SKILL_SERVERS_WAIT_MS, file });
}

function bounded(text: string, uri: string): string {
	if (text.length <= INSTRUCTIONS_CHARACTERS) return text;
	const begin = text.slice(0, INSTRUCTIONS_CHARACTERS).replace(/\p{Surrogate}$/u, '');
	return `${begin}\n\n[shortened: the resource ${uri} has the rest]`;
}

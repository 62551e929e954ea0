/* `mctl skills ls`: the skills of all servers, the library and the project. */
import { type Command, refuseArgs } from '../command.ts';
import { tableLines } from '../terminal/table.ts';
import { nameOf, textIn, withSkills } from './skills-of-hub.ts';

export const skillsLs: Command = {
	usage: 'mctl skills ls [--json]',
	examples: ['mctl skills ls', "mctl skills ls --json | jq -r '.skills[].uri'"],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, skillsLs);
		const { out, flags } = input;
		const skills = await withSkills(input, async (found) => found.skills);
		if (flags['json']) return out.json({ schema: 'orchestra.skills/1', skills });
		if (skills.length === 0) return out.note('There are no skills.');
		const rows = skills.map((skill) => [nameOf(skill), skill.uri, textIn(skill.frontmatter, 'description')]);
		for (const line of tableLines(['NAME', 'URI', 'DESCRIPTION'], rows, out.width, [0, 2])) out.line(line);
	},
};

/* `mctl skills show`: the text of a skill, after its digest was checked. */
import { type Command, usageError } from '../command.ts';
import { withSkills } from './skills-of-hub.ts';

export const skillsShow: Command = {
	usage: 'mctl skills show <name|uri> [--json]',
	examples: ['mctl skills show release-notes', 'mctl skills show skill://docs/pdf/SKILL.md'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		const { out, flags, args } = input;
		const [wanted, ...rest] = args;
		if (wanted === undefined || rest.length > 0)
			throw usageError(skillsShow, 'mctl skills show needs one skill');
		const { skill, text } = await withSkills(input, async ({ named, read }) => {
			const found = await named(wanted);
			return { skill: found, text: (await read(found, found.uri)).toString('utf8') };
		});
		if (flags['json']) return out.json({ schema: 'orchestra.skill/1', skill, text });
		out.foreign(text.endsWith('\n') ? text.slice(0, -1) : text);
		const files = Array.isArray(skill.resources) ? skill.resources : [];
		for (const { uri, size } of files) if (uri !== skill.uri) out.note(`${uri} (${size} bytes)`);
	},
};

/*
 * `mctl skills ls` and `mctl skills show`: the skills of all servers, the library and the project.
 * They are listed at once and read one by one, each verified.
 */

import { OrchestraError } from '../../errors.ts';
import { verifiedBytes } from '../../library/skills/verify-skill.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import type { Result, Skill } from '../../protocol/mcp-types.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import { type HubSessionOptions, withHub } from '../hub-client/with-hub.ts';
import { printTable } from '../terminal/table.ts';

export const skillsLs: Command = {
	usage: 'mctl skills ls [--json]',
	examples: ['mctl skills ls', "mctl skills ls --json | jq -r '.skills[].uri'"],
	flags: { json: jsonFlag },

	async run(input) {
		const { out, flags } = input;
		const skills = await withSkills(input, async (found) => found.skills);
		if (flags['json']) return out.json({ schema: 'orchestra.skills/1', skills });
		if (skills.length === 0) return out.info('There are no skills.');
		printTable<Skill>(out, skills, ['NAME', 'DESCRIPTION'], {
			NAME: nameOf,
			URI: ({ uri }) => uri,
			DESCRIPTION: ({ frontmatter }) => textIn(frontmatter, 'description'),
		});
	},
};

export const skillsShow: Command = {
	usage: 'mctl skills show <name|uri> [--json]',
	examples: ['mctl skills show release-notes', 'mctl skills show skill://docs/pdf/SKILL.md'],
	flags: { json: jsonFlag },
	args: [1, 1, 'one skill'],

	async run(input) {
		const { out, flags, args } = input;
		const [wanted = ''] = args;
		const { skill, text } = await withSkills(input, async ({ named, read }) => {
			const found = await named(wanted);
			return { skill: found, text: (await read(found, found.uri)).toString('utf8') };
		});
		if (flags['json']) return out.json({ schema: 'orchestra.skill/1', skill, text });
		out.foreign(text.endsWith('\n') ? text.slice(0, -1) : text);
		const files = Array.isArray(skill.resources) ? skill.resources : [];
		for (const { uri, size } of files) if (uri !== skill.uri) out.info(`${uri} (${size} bytes)`);
	},
};

export interface SkillsOfHub {
	readonly skills: readonly Skill[];
	/** The skill of this name or URI, as its server has it now: the list may be a cached one. */
	readonly named: (wanted: string) => Promise<Skill>;
	/** The bytes of a listed file. Throws when they are not those of the list. */
	readonly read: (skill: Skill, uri: string) => Promise<Buffer>;
}

/** List the skills and do `work`; nothing else is read before it is needed. */
export function withSkills<T>(
	input: CommandInput,
	work: (skills: SkillsOfHub) => Promise<T>,
	options: Pick<HubSessionOptions, 'file' | 'listWaitMs'> = { listWaitMs: COMMAND_START_WAIT_MS },
): Promise<T> {
	return withHub(
		input,
		async (session) => {
			const { items: skills } = await session.listAll('skills');
			const ask = (method: string, uri: string): Promise<Result> =>
				session.request(method, { uri }).catch((thrown: unknown) => {
					throw errorOfHub(thrown);
				});
			return work({
				skills,
				// The hub checked its form.
				named: async (wanted) => (await ask('skills/get', skillNamed(wanted, skills).uri))['skill'] as Skill,
				read: async (skill, uri) => verifiedBytes(skill, uri, await ask('resources/read', uri)),
			});
		},
		options,
	);
}

/** The skill of this name or URI. Throws when there is none, or several have the name. */
function skillNamed(wanted: string, skills: readonly Skill[]): Skill {
	const found = skills.filter((skill) => skill.uri === wanted || nameOf(skill) === wanted);
	const [first, ...others] = found;
	if (first === undefined) {
		throw new OrchestraError('not_found', `there is no skill ${wanted}`, {
			hint: didYouMean(nearest(wanted, skills.map(nameOf)), 'mctl skills ls shows all'),
		});
	}
	if (others.length === 0) return first;
	throw new OrchestraError('bad_input', `${found.length} skills are called ${wanted}`, {
		hint: `Use the URI: ${found.map(({ uri }) => uri).join(', ')}`,
	});
}

/** The name in its front matter. */
export function nameOf({ frontmatter }: Skill): string {
	return textIn(frontmatter, 'name');
}

export function textIn(frontmatter: Readonly<Record<string, unknown>>, key: string): string {
	const value = frontmatter[key];
	return typeof value === 'string' ? value : '';
}

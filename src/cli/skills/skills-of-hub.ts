/* The skills of the hub of this folder, for commands: listed at once, read one by one, each read verified. */
import { OrchestraError } from '../../errors.ts';
import { verifiedBytes } from '../../library/skills/verify-skill.ts';
import { nearest } from '../../nearest.ts';
import type { Result, Skill } from '../../protocol/mcp-types.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';
import { errorOfHub } from '../hub-client/hub-error.ts';
import { type HubSessionOptions, withHub } from '../hub-client/hub-session.ts';

export interface SkillsOfHub {
	readonly skills: readonly Skill[];
	/** The skill of this name or URI, as its server has it now: the list may be a cached one. */
	readonly named: (wanted: string) => Promise<Skill>;
	/** The bytes of a listed file. Throws when they are not those of the list. */
	readonly read: (skill: Skill, uri: string) => Promise<Buffer>;
}

/** List the skills and do `work`; nothing else is read before it asks for it. */
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
		const [guess] = nearest(wanted, skills.map(nameOf));
		throw new OrchestraError('not_found', `there is no skill ${wanted}`, {
			hint: guess === undefined ? 'mctl skills ls shows all' : `did you mean: ${guess}`,
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

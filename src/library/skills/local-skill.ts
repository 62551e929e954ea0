/* A skill on this machine: a folder with a SKILL.md, or a page of the library. Rules and bounds of the format. */
import { sha256 } from '../../files/sha256.ts';
import { SKILL_NAME_CHARACTERS } from '../files/library-limits.ts';

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';
const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;

export interface LocalSkill {
	/** The folder, with `/` on every system; its last segment is the name. */
	readonly path: string;
	/** The frontmatter of its SKILL.md, every field with its type. */
	readonly frontmatter: Readonly<Record<string, unknown>>;
	/** Sorted by path; SKILL.md is one of them. */
	readonly files: readonly LocalSkillFile[];
	/** Whether it is a folder, and not made of a page of the library. */
	readonly isFolder: boolean;
}

export interface LocalSkillFile {
	/** Within the folder. */
	readonly path: string;
	/** `sha256:…` of its bytes when it was listed. */
	readonly digest: string;
	readonly size: number;
	/** Its bytes now. Throws when it is gone. */
	read(): Buffer;
}

/** Whether a text is a name of a skill. */
export function isSkillName(name: unknown): name is string {
	return typeof name === 'string' && name.length <= SKILL_NAME_CHARACTERS && NAME.test(name);
}

/** The name of a skill that is made of this text; empty when nothing is left of it. */
export function skillNameOf(text: string): string {
	const terms = text.toLowerCase().match(/[a-z\d]+/g) ?? [];
	return terms.join('-').slice(0, SKILL_NAME_CHARACTERS).replace(/-$/, '');
}

/** The digest of bytes, as `skills/list` has it. */
export function skillDigest(bytes: Uint8Array): string {
	return `sha256:${sha256(bytes)}`;
}

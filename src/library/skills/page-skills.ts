/*
 * The pages and prompts of the library as skills of one file.
 *
 * A page keeps its front matter, with the name and a description that the format requires. The
 * block is written as JSON, which is YAML 1.2 with its types; digests are of the bytes as served.
 */

import { sha256 } from '../../files/sha256.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import type { Fragment } from '../files/fragment.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { SKILL_DESCRIPTION_CHARACTERS } from '../files/library-limits.ts';
import type { LibraryPrompt } from '../prompt-file.ts';
import { type LocalSkill, SKILL_FILE, skillDigest, skillNameOf } from './local-skill.ts';

/** The folder of the prompts. */
const PROMPTS = 'prompts';
const HASH_CHARACTERS = 8;

export interface PageSkillsDeps {
	/** Pages, sorted by URI. */
	readonly pages: () => readonly Fragment[];
	readonly textOf: (page: Fragment) => string | undefined;
	readonly prompts: () => ReadonlyMap<string, LibraryPrompt>;
}

/** The source of a skill. */
interface PageText {
	readonly folder: string;
	readonly title: string;
	readonly description: string | undefined;
	/** The whole text; undefined when it is gone. */
	readonly text: () => string | undefined;
}

export class PageSkills {
	readonly #deps: PageSkillsDeps;
	/** Keyed by the page or prompt: a changed one is another object. */
	readonly #made = new WeakMap<object, LocalSkill>();

	constructor(deps: PageSkillsDeps) {
		this.#deps = deps;
	}

	/** Without pages below these folders, which are skills themselves. Sorted by path. */
	async skills(folders: readonly string[]): Promise<readonly LocalSkill[]> {
		const slices = new WorkSlices();
		const skills = new Map<string, LocalSkill>();
		for (const [key, page] of this.#pageTexts(folders)) {
			const skill = this.#made.get(key) ?? makeSkill(page);
			if (skill === undefined) continue;
			this.#made.set(key, skill);
			// Of two pages with one name the first has it.
			if (!skills.has(skill.path)) skills.set(skill.path, skill);
			if (slices.isOver) await slices.next();
		}
		return [...skills.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
	}

	*#pageTexts(folders: readonly string[]): Generator<[object, PageText]> {
		const { pages, textOf, prompts } = this.#deps;
		for (const page of pages()) {
			const { name, title, description, mimeType, file } = page;
			if (mimeType !== 'text/markdown' || folders.some((folder) => file.startsWith(`${folder}/`))) continue;
			yield [
				page,
				{
					folder: folderOf(name),
					title: lastOf(name),
					description: description ?? title,
					text: () => textOf(page),
				},
			];
		}
		for (const [name, prompt] of prompts()) {
			const { title, description = title, body } = prompt;
			yield [prompt, { folder: PROMPTS, title: name, description, text: () => body }];
		}
	}
}

function makeSkill({ folder, title, description, text }: PageText): LocalSkill | undefined {
	const whole = text();
	const made = skillNameOf(title);
	if (whole === undefined) return undefined;
	const name = made === '' ? `page-${sha256(title).slice(0, HASH_CHARACTERS)}` : made;
	const { data } = readFrontMatter(whole);
	const said = typeof data['description'] === 'string' ? data['description'] : description;
	const frontmatter = { ...data, name, description: (said || title).slice(0, SKILL_DESCRIPTION_CHARACTERS) };
	const bytesOf = (from: string): Buffer => Buffer.from(written(frontmatter) + readFrontMatter(from).body);
	const bytes = bytesOf(whole);
	const read = (): Buffer => bytesOf(text() ?? '');
	const file = { path: SKILL_FILE, digest: skillDigest(bytes), size: bytes.length, read };
	return { path: `${folder}/${name}`, frontmatter, files: [file], isFolder: false };
}

function written(frontmatter: Readonly<Record<string, unknown>>): string {
	const lines = Object.entries(frontmatter).map(
		([key, value]) => `${plainKey(key)}: ${JSON.stringify(value)}\n`,
	);
	return `---\n${lines.join('')}---\n\n`;
}

function plainKey(key: string): string {
	return /^[A-Za-z][\w-]*$/.test(key) ? key : JSON.stringify(key);
}

function folderOf(name: string): string {
	return name.split('/').slice(0, -1).map(encodeURIComponent).join('/');
}

function lastOf(name: string): string {
	return name.split('/').at(-1) ?? name;
}

/*
 * The skills below one folder: every folder with a SKILL.md whose front matter has a name and a
 * description. All files below it belong to the skill, those of a nested skill too.
 *
 * The folder is walked for each list, because there are few files; only what changed is hashed again.
 */
import { messageOf } from '../../errors.ts';
import { type Log, loggedOnce } from '../../log.ts';
import { printableName } from '../../printable.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import { Folder } from '../files/folder.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { FILE_COUNT_LIMIT, SKILL_FILES_LIMIT, SKILL_LIMIT_BYTES } from '../files/library-limits.ts';
import { isSkillName, type LocalSkill, type LocalSkillFile, SKILL_FILE, skillDigest } from './local-skill.ts';

interface HashedFile extends LocalSkillFile {
	readonly stamp: string;
}

export class SkillFolder {
	readonly #folder: Folder;
	readonly #label: string;
	#files = new Map<string, HashedFile>();
	readonly #warn: (text: string) => void;

	/** @param label how the folder is called in messages */
	constructor(path: string, label: string, log: Log) {
		// Files of all endings; one may be as large as its skill.
		this.#folder = new Folder(path, [''], SKILL_LIMIT_BYTES);
		this.#label = label;
		this.#warn = loggedOnce((text) => log.warn(printableName(text)));
	}

	/** Sorted by path. A skill that breaks the format is left out, with a warning. */
	async skills(): Promise<readonly LocalSkill[]> {
		if (!this.#folder.exists) return [];
		const slices = new WorkSlices();
		const names: string[] = [];
		for (const found of this.#folder.walk()) {
			if (found.kind === 'file') names.push(found.file);
			if (names.length >= FILE_COUNT_LIMIT) break;
			if (slices.isOver) await slices.next();
		}
		const skills: LocalSkill[] = [];
		const hashed = new Map<string, HashedFile>();
		for (const file of names.filter((name) => name.endsWith(`/${SKILL_FILE}`))) {
			const path = file.slice(0, -SKILL_FILE.length - 1);
			const below = names.filter((name) => name.startsWith(`${path}/`));
			const skill = this.#skill(path, below, hashed);
			if (skill) skills.push(skill);
			if (slices.isOver) await slices.next();
		}
		this.#files = hashed;
		return skills;
	}

	#skill(path: string, names: readonly string[], hashed: Map<string, HashedFile>): LocalSkill | undefined {
		try {
			if (names.length > SKILL_FILES_LIMIT) throw new Error(`it has more than ${SKILL_FILES_LIMIT} files`);
			const files = names.map((name) => this.#hashed(name, path, hashed));
			const size = files.reduce((sum, file) => sum + file.size, 0);
			if (size > SKILL_LIMIT_BYTES) throw new Error(`it has more than ${SKILL_LIMIT_BYTES} bytes`);
			const text = this.#folder.bytes(`${path}/${SKILL_FILE}`).toString('utf8');
			const { data, problem } = readFrontMatter(text);
			const name = path.split('/').at(-1);
			if (problem !== undefined) throw new Error(problem);
			if (!isSkillName(data['name']) || data['name'] !== name)
				throw new Error(
					`the name in its front matter must be the folder, ${printableName(name ?? '')}, in lower case`,
				);
			if (typeof data['description'] !== 'string' || data['description'] === '')
				throw new Error('its front matter has no description');
			return { path, frontmatter: data, files, isFolder: true };
		} catch (error) {
			this.#warn(`${this.#label}/${path}/${SKILL_FILE} is no skill: ${messageOf(error)}`);
			return undefined;
		}
	}

	#hashed(name: string, path: string, hashed: Map<string, HashedFile>): LocalSkillFile {
		const stamp = this.#folder.stampOf(name);
		const read = (): Buffer => this.#folder.bytes(name);
		let file = hashed.get(name) ?? this.#files.get(name);
		if (file?.stamp !== stamp) {
			const bytes = read();
			file = { path: name, stamp, digest: skillDigest(bytes), size: bytes.length, read };
		}
		hashed.set(name, file);
		return { path: name.slice(path.length + 1), digest: file.digest, size: file.size, read };
	}
}

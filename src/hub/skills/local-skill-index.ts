/*
 * Skills on this machine as `skill://<label>/…`: their list, and the answers about them. List, manifest
 * and bytes come from the same files; a digest that no longer fits says that the skill changed since.
 */

import { extensionOf, mimeTypes } from '../../library/files/fragment.ts';
import { type LocalSkill, type LocalSkillFile, SKILL_FILE } from '../../library/skills/local-skill.ts';
import { resourceNotFound } from '../../mcp/define/definition-provider.ts';
import type { CallAnswers } from '../../mcp/server/methods.ts';
import type { ReadResourceResult, Resource, Skill } from '../../protocol/mcp-types.ts';
import { memoized } from '../../wire/memoized.ts';
import { directoryOf, directoryPage } from './skill-directory.ts';

export class LocalSkillIndex {
	readonly #label: string;
	readonly #load: () => Promise<readonly LocalSkill[]>;
	/** The answers about skills, for a source that has them. */
	readonly answers: CallAnswers = {
		'skills/get': async ({ uri }) => {
			const skill = (await this.list()).find((each) => each.uri === uri);
			if (skill === undefined) throw resourceNotFound(uri);
			return { skill };
		},
		'resources/directory/read': async (params) => {
			const children = directoryOf(await this.list(), params.uri);
			if (children === undefined) throw resourceNotFound(params.uri);
			return directoryPage(children, params);
		},
	};

	/** @param load the skills of now, sorted by path */
	constructor(label: string, load: () => Promise<readonly LocalSkill[]>) {
		this.#label = label;
		this.#load = load;
	}

	/** Whether a URI is one of these skills, or of a folder of them. */
	owns(uri: string): boolean {
		return uri === `skill://${this.#label}` || uri.startsWith(`skill://${this.#label}/`);
	}

	async list(): Promise<readonly Skill[]> {
		return (await this.#load()).map((skill) => this.#skill(skill));
	}

	/** The SKILL.md of each folder as a resource; a page of the library is one already. */
	async resources(): Promise<readonly Resource[]> {
		return (await this.#load())
			.filter(({ isFolder }) => isFolder)
			.map((skill) => {
				const { name, description } = skill.frontmatter;
				// Both were checked when it was read.
				const said = { name, description } as { name: string; description: string };
				return { uri: this.#uriOf(skill, SKILL_FILE), ...said, mimeType: 'text/markdown' };
			});
	}

	/** A file of a skill. Throws "resource not found". */
	async read(uri: string): Promise<ReadResourceResult> {
		for (const skill of await this.#load()) {
			const file = skill.files.find(({ path }) => this.#uriOf(skill, path) === uri);
			if (file) return { contents: [contentOf(uri, file)] };
		}
		throw resourceNotFound(uri);
	}

	/** The same skill stays the same object. */
	readonly #skill = memoized((local: LocalSkill): Skill => {
		const { frontmatter, files } = local;
		const uriOf = (path: string): string => this.#uriOf(local, path);
		const resources = files.map(({ path, digest, size }) => ({ uri: uriOf(path), digest, size }));
		return { uri: uriOf(SKILL_FILE), frontmatter, resources };
	});

	#uriOf({ path }: LocalSkill, file: string): string {
		return `skill://${this.#label}/${path}/${file.split('/').map(encodeURIComponent).join('/')}`;
	}
}

/** Text as UTF-8 of the same bytes; all else as base64. */
function contentOf(uri: string, file: LocalSkillFile): ReadResourceResult['contents'][number] {
	const bytes = file.read();
	const text = bytes.toString('utf8');
	const mimeType = mimeTypes[extensionOf(file.path)];
	const about = { uri, ...(mimeType && { mimeType }) };
	// A byte order mark would be lost in the text of some clients.
	const isText = Buffer.from(text, 'utf8').equals(bytes) && !text.startsWith('\uFEFF');
	return isText ? { ...about, text } : { ...about, blob: bytes.toString('base64') };
}

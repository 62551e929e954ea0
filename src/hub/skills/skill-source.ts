/* The skills in the folders of a project as a source. */
import { join } from 'node:path';
import type { LocalSkill } from '../../library/skills/local-skill.ts';
import type { Log } from '../../log.ts';
import { answerBy, type CallAnswers } from '../../mcp/server/methods.ts';
import type { Call, Capability } from '../../mcp/server/provider.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import type { Awaitable, Result } from '../../protocol/mcp-types.ts';
import { PROJECT_LABEL } from '../catalogue/names.ts';
import type { Can, Source } from '../source.ts';
import { LocalSkillIndex } from './local-skill-index.ts';

/** Folders of a project that have skills. */
const folders: readonly string[] = ['.claude/skills', 'skills'];

export class SkillSource implements Source, Can<'ownsUri' | 'configurationKey'> {
	readonly id = 'skills';
	readonly kind = 'skills';
	readonly status = { state: 'ready' } as const;
	readonly capabilities: readonly Capability[] = ['resources', 'skills'];
	readonly configurationKey: string;
	readonly #skills: LocalSkillIndex;
	readonly #answers: CallAnswers;

	/** @param root the project */
	constructor(root: string, log: Log) {
		this.configurationKey = root;
		this.#skills = new LocalSkillIndex(PROJECT_LABEL, projectSkills(root, log));
		this.#answers = { ...this.#skills.answers, 'resources/read': ({ uri }) => this.#skills.read(uri) };
	}

	readonly ownsUri = (uri: string): boolean => this.#skills.owns(uri);

	list(kind: ItemKind): Awaitable<readonly Item[]> {
		if (kind === 'skills') return this.#skills.list();
		return kind === 'resources' ? this.#skills.resources() : [];
	}

	request(call: Call): Awaitable<Result> {
		return answerBy(this.#answers, call);
	}

	async close(): Promise<void> {}
}

/** The skills of all folders; of two with one path the first. The code is loaded on first use. */
function projectSkills(root: string, log: Log): () => Promise<readonly LocalSkill[]> {
	let opened: Promise<readonly { skills(): Promise<readonly LocalSkill[]> }[]> | undefined;
	const open = async (): Promise<readonly { skills(): Promise<readonly LocalSkill[]> }[]> => {
		const { SkillFolder } = await import('../../library/skills/skill-folder.ts');
		return folders.map((name) => new SkillFolder(join(root, ...name.split('/')), name, log));
	};
	return async () => {
		opened ??= open();
		const found = await Promise.all((await opened).map((folder) => folder.skills()));
		const byPath = new Map(
			found
				.flat()
				.toReversed()
				.map((skill) => [skill.path, skill]),
		);
		return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
	};
}

/*
 * The `ui://` and `skill://` URIs of one server as clients know them.
 *
 * A host renders only the scheme `ui`, and two servers often have equal URIs, such as
 * `ui://main`. So `ui://main` of the server `a` is `ui://a/main` for clients, wherever it
 * occurs, and a client can never get the page of another server. The files of a skill are
 * `skill://a/…`, whatever their scheme; nothing else of a skill is changed.
 */

import { OrchestraError } from '../../errors.ts';
import {
	type Answer,
	answerValue,
	exactAnswer,
	type Resource,
	type ResourceTemplate,
	type Result,
	type Skill,
	type SkillFile,
	type Tool,
} from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText } from '../../wire/json-text.ts';
import { memoized } from '../../wire/memoized.ts';
import { OLD_PAGE_KEY } from '../calls/adapt-apps.ts';
import { isLabelled, qualifiedUri, skillUri, upstreamUri } from './names.ts';

type Open = Readonly<Record<string, unknown>>;

export class UriLabels {
	readonly #server: string;

	constructor(server: string) {
		this.#server = server;
	}

	// The same item stays the same object.
	readonly tool: (tool: Tool) => Tool = memoized((tool: Tool) => this.#withMeta(tool));

	readonly resource: (resource: Resource) => Resource = memoized((resource: Resource) =>
		this.#withUri(this.#withMeta(resource), 'uri'),
	);

	readonly template: (template: ResourceTemplate) => ResourceTemplate = memoized(
		(template: ResourceTemplate) => this.#withUri(this.#withMeta(template), 'uriTemplate'),
	);

	/** A skill of the server; undefined when it does not have the form of one. */
	readonly skill = (skill: Skill): Skill | undefined => (isSkill(skill) ? this.#labelled(skill) : undefined);

	readonly #labelled = memoized((skill: Skill): Skill => {
		const { resources } = skill;
		const files = resources === 'dynamic' ? resources : resources.map((file) => this.#file(file));
		return { ...this.#file(skill), resources: files };
	});

	/** The answer to `skills/get`. Throws when it has no skill. */
	skillResult(answer: Answer): Result {
		const result = exactAnswer(answer);
		// Checked by `isSkill`.
		const skill = this.skill(result['skill'] as Skill);
		if (skill) return { ...result, skill };
		throw new OrchestraError('bad_frame', 'the result of skills/get has no skill', {
			hint: 'The server does not follow the extension. Report this to its author.',
		});
	}

	/** The answer to `resources/directory/read`. */
	files(answer: Answer): Result {
		const map = (file: unknown): unknown => (hasUri(file) ? this.#file(file) : file);
		return withItems(exactAnswer(answer), 'resources', map);
	}

	#file<T extends { readonly uri: string }>(file: T): T {
		return { ...file, uri: skillUri(this.#server, file.uri) ?? file.uri };
	}

	/** An answer of a tool or prompt. The same object when it has no such URI. */
	result(answer: Answer): Answer {
		if (answer instanceof JsonText && !mayNameLabelled(answer.text)) return answer;
		const result = exactAnswer(answer);
		let changed = this.#withMeta(result);
		changed = withItems(changed, 'content', (block) => this.#block(block));
		changed = withItems(changed, 'messages', (message) => this.#message(message));
		return changed === result ? answer : changed;
	}

	/** The answer, with the requested URI in its contents. */
	read(answer: Answer, requested: string): Answer {
		const { contents } = answerValue(answer);
		if (!Array.isArray(contents)) return answer;
		const upstream = upstreamUri(this.#server, requested);
		const isSame = (content: unknown): boolean => isObject(content) && content['uri'] === requested;
		if (upstream === requested && contents.every(isSame)) return answer;
		const result = exactAnswer(answer);
		const given = contents.map((content: unknown) => {
			if (!isObject(content)) return content;
			const isRequested = contents.length === 1 || content['uri'] === upstream;
			return isRequested ? { ...content, uri: requested } : this.#withUri(content, 'uri');
		});
		return { ...result, contents: given };
	}

	#message(message: unknown): unknown {
		if (!isObject(message)) return message;
		const content = this.#block(message['content']);
		return content === message['content'] ? message : { ...message, content };
	}

	#block(block: unknown): unknown {
		if (!isObject(block)) return block;
		const { resource } = block;
		const changed = this.#withUri(this.#withMeta(block), 'uri');
		const inner = isObject(resource) ? this.#withUri(resource, 'uri') : resource;
		return inner === resource ? changed : { ...changed, resource: inner };
	}

	#withUri<T extends Open>(item: T, key: string): T {
		const uri = item[key];
		return isLabelled(uri) ? { ...item, [key]: qualifiedUri(this.#server, uri) } : item;
	}

	#withMeta<T extends Open>(item: T): T {
		const { _meta: meta } = item;
		if (!isObject(meta)) return item;
		const { ui } = meta;
		const changed = this.#withUri(meta, OLD_PAGE_KEY);
		const inner = isObject(ui) ? this.#withUri(ui, 'resourceUri') : ui;
		return changed === meta && inner === ui ? item : { ...item, _meta: { ...changed, ui: inner } };
	}
}

function withItems<T extends Open>(value: T, key: string, change: (item: unknown) => unknown): T {
	const items: unknown = value[key];
	if (!Array.isArray(items)) return value;
	const changed = mapItems(items, change);
	return changed === items ? value : { ...value, [key]: changed };
}

/** The list with each item changed; the same array when none is. */
export function mapItems<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
	const changed = items.map(change);
	return changed.every((item, at) => item === items[at]) ? items : changed;
}

/** Whether the text of a result may have a URI with a label; a server may write its letters as escapes. */
export function mayNameLabelled(text: string): boolean {
	return /ui:|skill:|\\u00/i.test(text);
}

function isSkill(skill: unknown): skill is Skill {
	if (!hasUri(skill) || !('frontmatter' in skill) || !isObject(skill.frontmatter)) return false;
	const { resources } = skill as Partial<Skill>;
	return resources === 'dynamic' || (Array.isArray(resources) && resources.every(isFile));
}

function isFile(file: unknown): file is SkillFile {
	return hasUri(file) && /^[a-z][a-z\d+.-]*:\/\//i.test(file.uri);
}

function hasUri(value: unknown): value is { readonly uri: string } {
	return isObject(value) && typeof value['uri'] === 'string';
}

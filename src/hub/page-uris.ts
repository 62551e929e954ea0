/*
 * The `ui://` URIs of one server as clients know them.
 *
 * A host renders only the scheme `ui`, and two servers often have equal URIs, such as
 * `ui://main`. So `ui://main` of the server `a` is `ui://a/main` for clients, wherever it
 * occurs, and a client can never get the page of another server.
 */
import {
	type Answer,
	answerValue,
	exactAnswer,
	type Resource,
	type ResourceTemplate,
	type Tool,
} from '../protocol/mcp-types.ts';
import { isObject } from '../wire/json.ts';
import { JsonText } from '../wire/json-text.ts';
import { ownUri, PAGE_SCHEME, qualifiedUri } from './names.ts';

/** The member of `_meta` that older hosts read; others read `ui.resourceUri`. */
const OLD_KEY = 'ui/resourceUri';

type Open = Readonly<Record<string, unknown>>;

export class PageUris {
	readonly #server: string;
	/** What was made of an item, so that the same item stays the same object. */
	readonly #made = new WeakMap<object, object>();

	constructor(server: string) {
		this.#server = server;
	}

	readonly tool = (tool: Tool): Tool => this.#once(tool, () => this.#withMeta(tool));

	readonly resource = (resource: Resource): Resource =>
		this.#once(resource, () => this.#withUri(this.#withMeta(resource), 'uri'));

	readonly template = (template: ResourceTemplate): ResourceTemplate =>
		this.#once(template, () => this.#withUri(this.#withMeta(template), 'uriTemplate'));

	/** An answer of a tool or prompt. The same object when it has no such URI. */
	result(answer: Answer): Answer {
		if (answer instanceof JsonText && !mayNamePage(answer.text)) return answer;
		const result = exactAnswer(answer);
		let changed = this.#withMeta(result);
		changed = withItems(changed, 'content', (block) => this.#block(block));
		changed = withItems(changed, 'messages', (message) => this.#message(message));
		return changed === result ? answer : changed;
	}

	/** What was read: its URI is the one that was asked for. */
	read(answer: Answer, asked: string): Answer {
		const { contents } = answerValue(answer);
		if (!Array.isArray(contents)) return answer;
		const own = ownUri(this.#server, asked);
		const isSame = (content: unknown): boolean => isObject(content) && content['uri'] === asked;
		if (own === asked && contents.every(isSame)) return answer;
		const result = exactAnswer(answer);
		const given = contents.map((content: unknown) => {
			if (!isObject(content)) return content;
			const isAsked = contents.length === 1 || content['uri'] === own;
			return isAsked ? { ...content, uri: asked } : this.#withUri(content, 'uri');
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
		return isPage(uri) ? { ...item, [key]: qualifiedUri(this.#server, uri) } : item;
	}

	#withMeta<T extends Open>(item: T): T {
		const { _meta: meta } = item;
		if (!isObject(meta)) return item;
		const { ui } = meta;
		const changed = this.#withUri(meta, OLD_KEY);
		const inner = isObject(ui) ? this.#withUri(ui, 'resourceUri') : ui;
		return changed === meta && inner === ui ? item : { ...item, _meta: { ...changed, ui: inner } };
	}

	#once<T extends object>(item: T, make: () => T): T {
		// The map holds what was made of the same item.
		const known = (this.#made.get(item) as T | undefined) ?? make();
		this.#made.set(item, known);
		return known;
	}
}

function withItems(value: Open, key: string, change: (item: unknown) => unknown): Open {
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

/** Whether the text of a result may have the URI of a page. */
export function mayNamePage(text: string): boolean {
	return text.includes('ui:');
}

function isPage(uri: unknown): uri is string {
	return typeof uri === 'string' && uri.startsWith(PAGE_SCHEME);
}

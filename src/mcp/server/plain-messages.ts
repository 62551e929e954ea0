/*
 * Which messages may pass through a hub as text, and how the text changes where client and
 * server are of different eras: calls of tools and their results that need no value of
 * theirs. Everything else is parsed.
 *
 * The reserved members of `_meta` belong to one connection: they are written anew, by a
 * text that is made once for each client and server. All other members pass.
 */

import type { Implementation } from '../../protocol/mcp-types.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	PROTOCOL_VERSION,
	SERVER_INFO,
} from '../../protocol/meta.ts';
import { isObject } from '../../wire/json.ts';
import type { MessageForm } from '../../wire/message-form.ts';
import { type MessageMember, member } from '../../wire/message-member.ts';
import { MessageView } from '../../wire/message-view.ts';
import { TextTemplate } from '../../wire/text-template.ts';

/** Ids and tokens that a double holds, or strings without escapes: their text is their only form. */
const SIMPLE_KEY = /^(?:0|[1-9]\d{0,14}|"[^"\\]*")$/;
/** A request with one of these needs values. */
const requestValues: readonly MessageMember[] = [member.inputResponses, member.requestState, member.task];
/** Members of a result that are adapted for a legacy client, and that few servers send. */
const adaptedMembers: readonly MessageMember[] = [member.ttlMs, member.cacheScope, member.tools];
const COMPLETE = '"complete"';
const completeMember = `"resultType":${COMPLETE}`;
const EMPTY = /^\{\s*\}$/;

/** Marks in calls: JSON has no such characters. */
const [ID_MARK, INPUT_MARK] = ['\u0000', '\u0001'];
const callMarks = [
	[ID_MARK, 'key'],
	[INPUT_MARK, member.arguments],
] as const;
/** Marks in results are JSON of the same type, with characters that no server sends. */
const resultMarks = [
	['["\uE000"]', member.content],
	['{"\uE000":0}', member.content],
	['["\uE001"]', member.structuredContent],
	['{"\uE001":0}', member.structuredContent],
] as const;
const MARK_CHARACTERS = /[\uE000\uE001]/;
const wholeResult = new TextTemplate('\u0000', [['\u0000', member.result]]);

type Era = 'legacy' | 'modern';
type Values = Readonly<Record<string, unknown>>;

/** The members of `_meta` that belong to one connection. */
const connectionMeta: readonly MessageMember[] = [
	member.protocolVersion,
	member.clientCapabilities,
	member.clientInfo,
	member.logLevel,
	member.progressToken,
];

/** Whether a request is a call of a tool that may be passed on as text. */
export function isPlainToolCall(view: MessageView): boolean {
	return (
		view.is(member.method, '"tools/call"') &&
		view.is(member.jsonrpc, '"2.0"') &&
		!view.isAmbiguous &&
		!view.hasLineBreak &&
		isSimpleKey(view.source(member.id)) &&
		view.firstCharacter(member.name) === '"' &&
		isObjectOrAbsent(view, member.arguments) &&
		isObjectOrAbsent(view, member.meta) &&
		(!view.has(member.progressToken) || isSimpleKey(view.source(member.progressToken))) &&
		!hasAny(view, requestValues)
	);
}

/** Remembers the forms of calls that may pass. */
export class PlainCallCheck {
	readonly #forms = new WeakSet<MessageForm>();
	/** The form of the last call: the next one has it too, as a rule. */
	#last: MessageForm | undefined;

	/** Like `isPlainToolCall`. */
	has(view: MessageView): boolean {
		const { form } = view;
		if (form === undefined) return isPlainToolCall(view);
		if (form === this.#last) return true;
		if (!this.#forms.has(form) && !isPlainToolCall(view)) return false;
		this.#forms.add(form);
		this.#last = form;
		return true;
	}
}

/** A client and a server, as far as messages between them depend on it. */
export interface EraPair {
	readonly client: Era;
	readonly server: Era;
	/** The capabilities of the client for a modern server, without the extensions that the hub does not route. */
	readonly envelope: {
		readonly version: string;
		readonly capabilities: Values;
		readonly clientInfo: unknown;
		readonly logLevel: string | undefined;
	};
	/** Whether these capabilities differ from those that a modern client declares. */
	readonly isReduced: boolean;
	/** The name and version of the hub, for modern clients. */
	readonly serverInfo: Implementation;
}

/** Changes the messages between one client and one server. */
export class EraPatch {
	readonly #pair: EraPair;
	/** The members of the envelope that a legacy client does not send. */
	readonly #envelope: string;
	readonly #capabilities: string;
	readonly #identity: string;
	/** The last `_meta` of a result, and whether it is ours alone to change. */
	#meta = { text: '', names: noNames };
	/** How calls and results were changed: those of the same form are changed likewise. */
	readonly #calls = new KnownForms<{ begun: string; template: TextTemplate }>();
	readonly #results = new KnownForms<{ template: TextTemplate | undefined }>();

	constructor(pair: EraPair) {
		const { version, capabilities, clientInfo, logLevel } = pair.envelope;
		const envelope = {
			[PROTOCOL_VERSION]: version,
			[CLIENT_CAPABILITIES]: capabilities,
			[CLIENT_INFO]: clientInfo,
			[LOG_LEVEL]: logLevel,
		};
		this.#pair = pair;
		this.#envelope = JSON.stringify(envelope).slice(1, -1);
		this.#capabilities = JSON.stringify(capabilities);
		this.#identity = `"_meta":${JSON.stringify({ [SERVER_INFO]: pair.serverInfo })}`;
	}

	/**
	 * What `request` needs for a call: the beginning of its `_meta` for a server of the other era, else an empty text.
	 * Undefined when the call must be parsed.
	 */
	prepare(view: MessageView): string | undefined {
		const known = view.form && this.#calls.get(view.form);
		if (known) return known.begun;
		const { client, server } = this.#pair;
		if (client === server) return client === 'legacy' || view.has(member.clientInfo) ? '' : undefined;
		const others = view.has(member.meta) ? view.without(member.meta, connectionMeta)?.slice(0, -1) : '{';
		if (others === undefined) return undefined;
		const begun = others === '{' ? '{' : `${others},`;
		return server === 'modern' ? `${begun}${this.#envelope},` : begun;
	}

	/** A call as the server gets it: with our id and its own name of the tool, which is the same in all calls. */
	request(view: MessageView, begun: string, { id, name }: { id: string; name: string }): string {
		const { form } = view;
		if (form === undefined) return view.with(this.#changes(begun, id, name));
		const known = this.#calls.get(form);
		if (known) return known.template.fill(view, id);
		const changes = this.#changes(begun, ID_MARK, name);
		if (view.has(member.arguments)) changes.push([member.arguments, INPUT_MARK]);
		const template = new TextTemplate(view.with(changes), callMarks);
		this.#calls.set(form, { begun, template });
		return template.fill(view, id);
	}

	#changes(begun: string, id: string, name: string): [MessageMember, string][] {
		const changes: [MessageMember, string][] = [
			[member.id, id],
			[member.name, name],
			begun === '' ? [member.progressToken, id] : [member.meta, `${begun}"progressToken":${id}}`],
		];
		const { client, isReduced } = this.#pair;
		if (begun === '' && client === 'modern' && isReduced)
			changes.push([member.clientCapabilities, this.#capabilities]);
		return changes;
	}

	/** The `result` of a response as the client gets it; undefined when it must be parsed. */
	result(view: MessageView): string | undefined {
		const { form } = view;
		if (form === undefined) return this.#adapted(view);
		let known = this.#results.get(form);
		if (known === undefined) {
			known = { template: this.#resultTemplate(view) };
			this.#results.set(form, known);
		}
		return known.template?.fill(view, '');
	}

	/** A result with marks in place of its values is adapted; undefined when it must be parsed. */
	#resultTemplate(view: MessageView): TextTemplate | undefined {
		const marks = resultMarks.filter(([mark, place]) => view.firstCharacter(place) === mark[0]);
		const marked = new MessageView(view.with(marks.map(([mark, place]) => [place, mark])));
		const adapted = this.#adapted(marked);
		if (adapted === undefined || MARK_CHARACTERS.test(view.text)) return undefined;
		const isSame = adapted === marked.source(member.result);
		return isSame ? wholeResult : new TextTemplate(adapted, marks);
	}

	#adapted(view: MessageView): string | undefined {
		if (view.firstCharacter(member.result) !== '{' || view.hasLineBreak) return undefined;
		const isForLegacy = this.#pair.client === 'legacy';
		if (isForLegacy && !isKnownToLegacy(view)) return undefined;
		if (view.has(member.resultType) && !view.is(member.resultType, COMPLETE)) return undefined;
		const names = view.has(member.resultMeta)
			? this.#namesOf(view.source(member.resultMeta) ?? '')
			: undefined;
		if (names?.isObject === false) return undefined;
		return isForLegacy ? legacyResult(view, names) : this.#modernResult(view, names);
	}

	#modernResult(view: MessageView, names: MetaNames | undefined): string | undefined {
		const result = view.source(member.result) ?? '';
		if (names !== undefined && !names.hasServerInfo) return undefined;
		const hasType = view.has(member.resultType);
		if (hasType && names !== undefined) return result;
		if (EMPTY.test(result)) return undefined;
		const added = [hasType ? '' : completeMember, names === undefined ? this.#identity : ''];
		return `{${added.filter((member) => member !== '').join(',')},${result.slice(1)}`;
	}

	/** The `_meta` of a server is the same in most of its results. */
	#namesOf(text: string): MetaNames {
		if (this.#meta.text !== text) this.#meta = { text, names: readNames(text) };
		return this.#meta.names;
	}
}

/** Something about forms. The last one is found without a hash. */
class KnownForms<Fact> {
	readonly #facts = new WeakMap<MessageForm, Fact>();
	#last: { readonly form: MessageForm; readonly fact: Fact } | undefined;

	get(form: MessageForm): Fact | undefined {
		if (this.#last?.form === form) return this.#last.fact;
		const fact = this.#facts.get(form);
		if (fact !== undefined) this.#last = { form, fact };
		return fact;
	}

	set(form: MessageForm, fact: Fact): void {
		this.#facts.set(form, fact);
		this.#last = { form, fact };
	}
}

/** The fields in the `_meta` of a result. */
interface MetaNames {
	readonly isObject: boolean;
	readonly hasServerInfo: boolean;
	readonly isAlone: boolean;
}

const noNames: MetaNames = { isObject: false, hasServerInfo: false, isAlone: false };

function readNames(text: string): MetaNames {
	const value: unknown = JSON.parse(text);
	if (!isObject(value)) return noNames;
	const hasServerInfo = SERVER_INFO in value;
	return { isObject: true, hasServerInfo, isAlone: hasServerInfo && Object.keys(value).length === 1 };
}

/** Whether nothing in a result has to be changed for a legacy client but its modern members. */
function isKnownToLegacy(view: MessageView): boolean {
	return !hasAny(view, adaptedMembers) && isObjectOrAbsent(view, member.structuredContent);
}

function legacyResult(view: MessageView, names: MetaNames | undefined): string | undefined {
	const hasServerInfo = names?.hasServerInfo === true;
	if (!view.has(member.resultType) && !hasServerInfo) return view.source(member.result);
	if (hasServerInfo && !names.isAlone) return undefined;
	return view.without(
		member.result,
		hasServerInfo ? [member.resultType, member.resultMeta] : [member.resultType],
	);
}

/** A loop: this is done for every call. */
function hasAny(view: MessageView, members: readonly MessageMember[]): boolean {
	for (const each of members) if (view.has(each)) return true;
	return false;
}

function isSimpleKey(source: string | undefined): boolean {
	return source !== undefined && SIMPLE_KEY.test(source);
}

function isObjectOrAbsent(view: MessageView, each: MessageMember): boolean {
	return !view.has(each) || view.firstCharacter(each) === '{';
}

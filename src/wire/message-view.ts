/*
 * A JSON-RPC message as a view of its text: one scan validates the line and records where
 * the members are that a hub reads. A value is parsed when somebody asks for it; everything
 * that passes through keeps its bytes.
 *
 * A view reads a message as `JSON.parse` does: members in any order, escaped names, the last
 * of two equal names. Another parser may take the first of them, or may replace half of a
 * surrogate pair: a message that `isAmbiguous` is sent on as its parsed value.
 */
import { JsonScanner, type ScannedMember } from './json-scanner.ts';

const BYTE_ORDER_MARK = '\uFEFF';
/** A slice of a long text takes a few milliseconds. */
const SLICE_CHARACTERS: number = 256 * 1024;
const CLOSES = /\s*\}/y;
const MCP = 'io.modelcontextprotocol/';

/** A member of a message that a view records. */
export type ViewMember =
	| 'jsonrpc'
	| 'id'
	| 'method'
	| 'params'
	| 'name'
	| 'arguments'
	| 'inputResponses'
	| 'requestState'
	| 'task'
	| 'meta'
	| 'progressToken'
	| 'traceparent'
	| 'budgetTokens'
	| 'protocolVersion'
	| 'clientCapabilities'
	| 'clientInfo'
	| 'logLevel'
	| 'result'
	| 'isError'
	| 'resultType'
	| 'ttlMs'
	| 'cacheScope'
	| 'structuredContent'
	| 'tools'
	| 'resultMeta'
	| 'error';

const paths: Readonly<Record<ViewMember, readonly string[]>> = {
	jsonrpc: ['jsonrpc'],
	id: ['id'],
	method: ['method'],
	params: ['params'],
	name: ['params', 'name'],
	arguments: ['params', 'arguments'],
	inputResponses: ['params', 'inputResponses'],
	requestState: ['params', 'requestState'],
	task: ['params', 'task'],
	meta: ['params', '_meta'],
	progressToken: ['params', '_meta', 'progressToken'],
	traceparent: ['params', '_meta', 'traceparent'],
	budgetTokens: ['params', '_meta', 'orchestra/budgetTokens'],
	protocolVersion: ['params', '_meta', `${MCP}protocolVersion`],
	clientCapabilities: ['params', '_meta', `${MCP}clientCapabilities`],
	clientInfo: ['params', '_meta', `${MCP}clientInfo`],
	logLevel: ['params', '_meta', `${MCP}logLevel`],
	result: ['result'],
	isError: ['result', 'isError'],
	resultType: ['result', 'resultType'],
	ttlMs: ['result', 'ttlMs'],
	cacheScope: ['result', 'cacheScope'],
	structuredContent: ['result', 'structuredContent'],
	tools: ['result', 'tools'],
	resultMeta: ['result', '_meta'],
	error: ['error'],
};

const names = Object.keys(paths) as ViewMember[]; // the keys of `paths`
const slots = Object.fromEntries(names.map((name, slot) => [name, slot])) as Record<ViewMember, number>;
/** The name of each member as it is written in compact JSON. */
const labels = Object.fromEntries(
	names.map((name) => [name, `${JSON.stringify(paths[name].at(-1))}:`]),
) as Record<ViewMember, string>;
const parents: ReadonlyMap<ViewMember, ViewMember | undefined> = new Map(
	names.map((name) => [name, parentOf(name)]),
);
const scanned = membersIn(undefined);
const absent: readonly number[] = names.flatMap(() => [-1, -1]);
/** Reused: it holds nothing between two texts. */
const scanner = new JsonScanner();

export class MessageView {
	#text = '';
	#isAmbiguous = false;
	#hasLineBreak = false;
	#isCanonical = false;
	readonly #spans: number[] = absent.slice();

	/** Throws `SyntaxError` when the text is not JSON, or nested too deeply. */
	constructor(text: string) {
		this.#scan(text);
	}

	/** The view of a text; undefined when it is not JSON. */
	static of(text: string): MessageView | undefined {
		try {
			return new MessageView(text);
		} catch {
			return undefined; // a parser finds the reason again
		}
	}

	/**
	 * The view of a long text, scanned in slices: the caller lets others work between two steps. Undefined when it is not
	 * JSON.
	 */
	static *inSlices(
		text: string,
		characters: number = SLICE_CHARACTERS,
	): Generator<void, MessageView | undefined> {
		const view = new MessageView('null');
		// Others scan between two slices.
		const own = new JsonScanner();
		view.#begin(text, own);
		try {
			while (!own.run(characters)) yield;
			view.#ended(own);
			return view;
		} catch {
			return undefined; // a parser finds the reason again
		}
	}

	/** Make this the view of another text. For views that nobody keeps: a new one for each message costs more than the scan. */
	read(text: string): void {
		this.#spans.fill(-1);
		this.#scan(text);
	}

	#scan(text: string): void {
		this.#begin(text, scanner);
		scanner.run(Number.POSITIVE_INFINITY);
		this.#ended(scanner);
	}

	#begin(text: string, by: JsonScanner): void {
		this.#text = text;
		by.begin(text, text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, scanned, this.#spans);
	}

	#ended(by: JsonScanner): void {
		const { end } = by;
		if (end !== this.#text.length)
			throw new SyntaxError(`unexpected text after the JSON value at position ${end}`);
		this.#isAmbiguous = by.hasEqualNames || by.hasLoneSurrogate;
		this.#hasLineBreak = by.hasLineBreak;
		this.#isCanonical = by.isCanonical;
	}

	get text(): string {
		return this.#text;
	}

	/** Whether another parser may read it differently: two members of one name, or half of a surrogate pair. */
	get isAmbiguous(): boolean {
		return this.#isAmbiguous;
	}

	/** Whether a line break is between two values: the text is not one line. */
	get hasLineBreak(): boolean {
		return this.#hasLineBreak;
	}

	/** Whether `arguments` are written as canonical JSON. */
	get isCanonical(): boolean {
		return this.#isCanonical;
	}

	has(member: ViewMember): boolean {
		return this.#start(member) !== -1;
	}

	/** Whether a member is written exactly so. */
	is(member: ViewMember, json: string): boolean {
		const start = this.#start(member);
		return start !== -1 && this.#end(member) - start === json.length && this.#text.startsWith(json, start);
	}

	/** The number of characters of a member; 0 when it is absent. */
	lengthOf(member: ViewMember): number {
		return this.#end(member) - this.#start(member);
	}

	/** The JSON text of a member, as it was written. */
	source(member: ViewMember): string | undefined {
		const start = this.#start(member);
		return start === -1 ? undefined : this.#text.slice(start, this.#end(member));
	}

	/** The parsed value of a member; undefined when it is absent. */
	value(member: ViewMember): unknown {
		const source = this.source(member);
		return source === undefined ? undefined : JSON.parse(source);
	}

	/** The first character of a member: `{` for an object, `"` for a string. Empty when it is absent. */
	firstCharacter(member: ViewMember): string {
		return this.#text.charAt(this.#start(member));
	}

	/**
	 * The text with these members set to JSON texts, and everything else as it was written. An absent one is added, with
	 * its parent; only one of each parent may be absent.
	 */
	with(changes: readonly (readonly [member: ViewMember, json: string])[]): string {
		const splices: Splice[] = [];
		// Sorted as they come: there are few, and most are in order.
		for (const [member, json] of changes) {
			const splice = this.#splice(member, json);
			let at = splices.length;
			while (at > 0 && (splices[at - 1]?.start ?? 0) > splice.start) at--;
			if (at === splices.length) splices.push(splice);
			else splices.splice(at, 0, splice);
		}
		let text = '';
		let from = 0;
		for (const { start, end, json } of splices) {
			text += this.#text.slice(from, start) + json;
			from = end;
		}
		return text + this.#text.slice(from);
	}

	/** The text of a member without these members of it; undefined where blanks or escapes are around one of them. */
	without(parent: ViewMember, members: readonly ViewMember[]): string | undefined {
		let text = this.#text;
		const present = members.filter((member) => this.has(member));
		// From the last to the first: what is before a cut keeps its place.
		for (const member of present.sort((one, other) => this.#start(other) - this.#start(one))) {
			const name = labels[member];
			const end = this.#end(member);
			const start = this.#start(member) - name.length;
			const [before, after] = [text[start - 1], text[end]];
			const isCompact = (before === ',' || before === '{') && (after === ',' || after === '}');
			if (!isCompact || !text.startsWith(name, start)) return undefined;
			const isFirst = before === '{';
			text =
				text.slice(0, isFirst ? start : start - 1) + text.slice(isFirst && after === ',' ? end + 1 : end);
		}
		return text.slice(this.#start(parent), this.#end(parent) - (this.#text.length - text.length));
	}

	/** Replace the value of a member. An absent one is put last in its parent; a parent that is no object is replaced. */
	#splice(member: ViewMember, json: string): Splice {
		const start = this.#start(member);
		if (start !== -1) return { start, end: this.#end(member), json };
		const parent = parents.get(member);
		const added = `${labels[member]}${json}`;
		if (parent !== undefined && this.firstCharacter(parent) !== '{')
			return this.#splice(parent, `{${added}}`);
		const end = parent === undefined ? this.#text.lastIndexOf('}') : this.#end(parent) - 1;
		CLOSES.lastIndex = 1 + (parent === undefined ? this.#text.indexOf('{') : this.#start(parent));
		return { start: end, end, json: CLOSES.test(this.#text) ? added : `,${added}` };
	}

	#start(member: ViewMember): number {
		return this.#spans[2 * slots[member]] ?? -1;
	}

	#end(member: ViewMember): number {
		return this.#spans[2 * slots[member] + 1] ?? -1;
	}
}

/** A place of the text and what takes it. */
interface Splice {
	readonly start: number;
	readonly end: number;
	readonly json: string;
}

function parentOf(name: ViewMember): ViewMember | undefined {
	const above = paths[name].slice(0, -1).join('/');
	return names.find((other) => paths[other].join('/') === above);
}

function membersIn(parent: ViewMember | undefined): readonly ScannedMember[] {
	return names
		.filter((name) => parentOf(name) === parent)
		.map((name) => ({
			name: paths[name].at(-1) ?? '',
			slot: slots[name],
			inner: membersIn(name),
			isChecked: name === 'params',
			isHashed: name === 'arguments',
		}));
}

/**
 * A member of a request as it was written, to be sent on as text; undefined when it is absent, or when another parser
 * may read the request differently: then its parsed value is sent on, which policy and approval have seen.
 */
export function writtenMember(text: string, member: ViewMember): string | undefined {
	const view = MessageView.of(text);
	return view === undefined || view.isAmbiguous ? undefined : view.source(member);
}

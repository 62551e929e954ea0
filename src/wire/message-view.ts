/*
 * A JSON-RPC message as a view of its text: one scan validates the line and records where
 * the members are that a hub reads. A value is parsed when it is asked for; everything
 * that passes through keeps its bytes.
 *
 * A view reads a message as `JSON.parse` does: members in any order, escaped names, the last
 * of two equal names. Another parser may take the first of them, may replace half of a
 * surrogate pair, or may refuse a byte order mark: a message that `isAmbiguous` is sent on as
 * its parsed value.
 */
import { JsonScanner } from './json-scanner.ts';
import { MessageForm, noGaps } from './message-form.ts';
import {
	MEMBER_COUNT,
	type MessageMember,
	memberLabels,
	parentOf,
	scannedMembers,
} from './message-member.ts';
import { SCAN_SLICE_CHARACTERS } from './wire-limits.ts';

const BYTE_ORDER_MARK = '\uFEFF';
const CLOSES = /\s*\}/y;
const absent: readonly number[] = Array.from({ length: 2 * MEMBER_COUNT }, () => -1);
/** Reused: it holds nothing between two texts. */
const scanner = new JsonScanner();

export class MessageView {
	#text = '';
	#isAmbiguous = false;
	#hasLineBreak = false;
	#isCanonical = false;
	#form: MessageForm | undefined;
	#spans: readonly number[] = absent;
	/** The position in `shifts` that moves each position in `spans`. */
	#gaps: readonly number[] = noGaps;
	readonly #shifts: number[] = [0, 0, 0, 0, 0, 0, 0];

	/** Throws `SyntaxError` when the text is not JSON, or nested too deeply. Without a text it is for `read`. */
	constructor(text?: string) {
		if (text !== undefined) this.#scan(text);
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
		characters: number = SCAN_SLICE_CHARACTERS,
	): Generator<void, MessageView | undefined> {
		const view = new MessageView();
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

	/**
	 * Make this the view of another text. For a view that nobody keeps. Throws as the constructor does.
	 * @param first and `second` are forms of texts before, of which this one may have one
	 */
	read(text: string, first?: MessageForm, second?: MessageForm): void {
		const hasForm = (first && this.#fits(text, first)) || (second && this.#fits(text, second));
		if (!hasForm) this.#scan(text);
	}

	/** What its text has in common with others: the same object for each of them. Undefined when none is known. */
	get form(): MessageForm | undefined {
		return this.#form;
	}

	/** Find its form, for the texts that follow. */
	learn(): MessageForm | undefined {
		if (this.#isAmbiguous || this.#hasLineBreak) return undefined;
		this.#form = MessageForm.of(this.#text, this.#spans);
		return this.#form;
	}

	#fits(text: string, form: MessageForm): boolean {
		try {
			if (!form.fits(text, scanner, this.#shifts)) return false;
		} catch {
			return false; // the scan of the whole text throws the same
		}
		this.#text = text;
		this.#form = form;
		this.#spans = form.spans;
		this.#gaps = form.gaps;
		this.#isAmbiguous = false;
		this.#hasLineBreak = false;
		this.#isCanonical = scanner.isCanonical; // no other value of a request is scanned
		return true;
	}

	#scan(text: string): void {
		this.#begin(text, scanner);
		scanner.run(Number.POSITIVE_INFINITY);
		this.#ended(scanner);
	}

	#begin(text: string, by: JsonScanner): void {
		this.#text = text;
		this.#form = undefined;
		this.#gaps = noGaps;
		const spans = absent.slice();
		this.#spans = spans;
		by.begin(text, text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, scannedMembers, spans);
	}

	#ended(by: JsonScanner): void {
		const { end } = by;
		if (end !== this.#text.length)
			throw new SyntaxError(`unexpected text after the JSON value at position ${end}`);
		this.#isAmbiguous = by.hasEqualNames || by.hasLoneSurrogate || this.#text.startsWith(BYTE_ORDER_MARK);
		this.#hasLineBreak = by.hasLineBreak;
		this.#isCanonical = by.isCanonical;
	}

	get text(): string {
		return this.#text;
	}

	/** Whether another parser may read it differently: two members of one name, half of a surrogate pair, a byte order mark. */
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

	has(each: MessageMember): boolean {
		return this.#start(each) !== -1;
	}

	/** Whether a each is written exactly so. */
	is(each: MessageMember, json: string): boolean {
		const start = this.#start(each);
		return start !== -1 && this.#end(each) - start === json.length && this.#text.startsWith(json, start);
	}

	/** The number of characters of a member; 0 when it is absent. */
	lengthOf(each: MessageMember): number {
		return this.#end(each) - this.#start(each);
	}

	/** The JSON text of a member, as it was written. */
	source(each: MessageMember): string | undefined {
		const start = this.#start(each);
		return start === -1 ? undefined : this.#text.slice(start, this.#end(each));
	}

	/** The parsed value of a member; undefined when it is absent. */
	value(each: MessageMember): unknown {
		const source = this.source(each);
		return source === undefined ? undefined : JSON.parse(source);
	}

	/** The first character of a member: `{` for an object, `"` for a string. Empty when it is absent. */
	firstCharacter(each: MessageMember): string {
		return this.#text.charAt(this.#start(each));
	}

	/**
	 * The text with these members set to JSON texts, and everything else as it was written. An absent one is added, with
	 * its parent; only one of each parent may be absent.
	 */
	with(changes: readonly (readonly [member: MessageMember, json: string])[]): string {
		const splices: Splice[] = [];
		// Sorted as they come: there are few, and most are in order.
		for (const [each, json] of changes) {
			const splice = this.#splice(each, json);
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
	without(parent: MessageMember, members: readonly MessageMember[]): string | undefined {
		let text = this.#text;
		const present = members.filter((each) => this.has(each));
		// From the last to the first: what is before a cut keeps its place.
		for (const each of present.sort((one, other) => this.#start(other) - this.#start(one))) {
			const name = memberLabels[each] ?? '';
			const end = this.#end(each);
			const start = this.#start(each) - name.length;
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
	#splice(each: MessageMember, json: string): Splice {
		const start = this.#start(each);
		if (start !== -1) return { start, end: this.#end(each), json };
		const parent = parentOf(each);
		const added = `${memberLabels[each]}${json}`;
		if (parent !== undefined && this.firstCharacter(parent) !== '{')
			return this.#splice(parent, `{${added}}`);
		const end = parent === undefined ? this.#text.lastIndexOf('}') : this.#end(parent) - 1;
		CLOSES.lastIndex = 1 + (parent === undefined ? this.#text.indexOf('{') : this.#start(parent));
		return { start: end, end, json: CLOSES.test(this.#text) ? added : `,${added}` };
	}

	#start(each: MessageMember): number {
		const place = 2 * each;
		return (this.#spans[place] ?? -1) + (this.#shifts[this.#gaps[place] ?? 0] ?? 0);
	}

	#end(each: MessageMember): number {
		const place = 2 * each + 1;
		return (this.#spans[place] ?? -1) + (this.#shifts[this.#gaps[place] ?? 0] ?? 0);
	}
}

/** A place of the text and what takes it. */
interface Splice {
	readonly start: number;
	readonly end: number;
	readonly json: string;
}

/**
 * A member of a request as it was written, to be sent on as text; undefined when it is absent, or when another parser
 * may read the request differently: then its parsed value is sent on, which policy and approval have seen.
 */
export function writtenMember(text: string, each: MessageMember): string | undefined {
	const view = MessageView.of(text);
	return view === undefined || view.isAmbiguous ? undefined : view.source(each);
}

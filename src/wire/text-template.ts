/* A text with places for members of a view, made once for all messages of a form. */
import type { MessageMember } from './message-member.ts';
import type { MessageView } from './message-view.ts';

/** What takes the place of a mark: a member of the view, or the key that `fill` is given. */
type TemplatePlace = MessageMember | 'key';

export class TextTemplate {
	readonly #first: string;
	/** Each place, and the text behind it. */
	readonly #places: { readonly place: TemplatePlace; readonly after: string }[] = [];

	/** @param marks texts that stand for places, and are nowhere else in `text` */
	constructor(text: string, marks: readonly (readonly [mark: string, place: TemplatePlace])[]) {
		let rest = text;
		let first: string | undefined;
		for (let place: TemplatePlace | undefined; ; ) {
			const next = firstMark(rest, marks);
			const before = rest.slice(0, next?.at);
			if (place === undefined) first = before;
			else this.#places.push({ place, after: before });
			if (next === undefined) break;
			place = next.place;
			rest = rest.slice(next.at + next.mark.length);
		}
		this.#first = first ?? '';
	}

	fill(view: MessageView, key: string): string {
		let text = this.#first;
		for (let at = 0; at < this.#places.length; at++) {
			const next = this.#places[at];
			if (next) text += (next.place === 'key' ? key : (view.source(next.place) ?? '')) + next.after;
		}
		return text;
	}
}

function firstMark(
	text: string,
	marks: readonly (readonly [mark: string, place: TemplatePlace])[],
): { at: number; mark: string; place: TemplatePlace } | undefined {
	return marks
		.map(([mark, place]) => ({ at: text.indexOf(mark), mark, place }))
		.filter(({ at }) => at !== -1)
		.sort((one, other) => one.at - other.at)[0];
}

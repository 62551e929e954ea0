/* The views of the messages of one sender, which remembers their form. */
import type { MessageForm } from './message-form.ts';
import { member } from './message-member.ts';
import { MessageView } from './message-view.ts';
import { FORM_MISSES } from './wire-limits.ts';

export class ViewReader {
	#form: MessageForm | undefined;
	/** Messages in a row that did not have the form. */
	#misses = 0;

	/** The view of a text; undefined when it is not JSON. */
	view(text: string): MessageView | undefined {
		const view = new MessageView();
		return this.read(view, text) ? view : undefined;
	}

	/** Make a view that nobody keeps that of a text; false when it is not JSON. */
	read(view: MessageView, text: string): boolean {
		try {
			view.read(text, this.#form);
		} catch {
			return false; // a parser finds the reason again
		}
		if (view.form !== undefined) this.#misses = 0;
		else if (view.has(member.id) && (view.has(member.name) || view.has(member.content))) this.#learn(view);
		return true;
	}

	/** A sender whose messages have no common form must not pay for each of them: less and less are looked at. */
	#learn(view: MessageView): void {
		this.#misses++;
		const isDue = (this.#misses & (this.#misses - 1)) === 0 || this.#misses % FORM_MISSES === 0;
		if (isDue) this.#form = view.learn() ?? this.#form;
	}
}

/*
 * The views of the messages of one sender. It remembers two forms: many clients send calls with and
 * without a progress token, in turn.
 */
import type { MessageForm } from './message-form.ts';
import { member } from './message-member.ts';
import { MessageView } from './message-view.ts';
import { FORM_MISSES } from './wire-limits.ts';

export class ViewReader {
	#form: MessageForm | undefined;
	#before: MessageForm | undefined;
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
			view.read(text, this.#form, this.#before);
		} catch {
			return false; // a parser finds the reason again
		}
		if (view.form !== undefined) this.#use(view.form);
		else if (view.has(member.id) && (view.has(member.name) || view.has(member.content))) this.#learn(view);
		return true;
	}

	#use(form: MessageForm): void {
		this.#misses = 0;
		if (form === this.#form) return;
		this.#before = this.#form;
		this.#form = form;
	}

	/** A sender whose messages have no common form must not pay for each of them: less and less are looked at. */
	#learn(view: MessageView): void {
		this.#misses++;
		const isDue = (this.#misses & (this.#misses - 1)) === 0 || this.#misses % FORM_MISSES === 0;
		const form = isDue ? view.learn() : undefined;
		if (form === undefined) return;
		this.#before = this.#form;
		this.#form = form;
	}
}

/* An elicitation of a tool: a form for the user, or a page to open. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CallElicitation } from '../../api/api-calls.ts';
import type { ApiObject } from '../../api/api-types.ts';
import { formOf } from '../form/form-field.ts';
import { initialDraft, problemsOf } from '../form/form-value.ts';
import { draftForm, SchemaForm } from '../form/schema-form.tsx';
import { isSafeAddress } from '../text/markdown-inline.ts';
import { OutsideLink } from '../text/markdown-view.tsx';
import { visibleLine, visibleText } from '../text/visible-text.tsx';
import type { CallRun } from './call-run.ts';

interface ElicitationFormProps {
	elicitation: CallElicitation;
	run: CallRun;
}

export function ElicitationForm({ elicitation, run }: ElicitationFormProps): JSX.Element {
	const field = useMemo(() => formOf(elicitation.schema ?? { type: 'object' }), [elicitation]);
	const draft = useSignal<unknown>(initialDraft(field));
	const isChecked = useSignal(false);
	const box = useRef<HTMLFormElement>(null);
	useEffect(() => box.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus(), []);
	const problems = problemsOf(field, draft.value);
	const accept = (event: Event): void => {
		event.preventDefault();
		isChecked.value = true;
		// A draft without problems is JSON.
		if (problems.size === 0) void run.answer('accept', (draft.value ?? {}) as ApiObject);
	};
	const form = draftForm(draft, isChecked.value && problems);
	return (
		<form class="elicitation" ref={box} noValidate onSubmit={accept} aria-label="Input for the tool">
			<p class="title">{visibleText(elicitation.message)}</p>
			{elicitation.mode === 'url' ? (
				<ElicitationAddress url={elicitation.url ?? ''} />
			) : (
				<SchemaForm field={field} form={form} />
			)}
			<p class="actions">
				<button type="submit" class="primary">
					{elicitation.mode === 'url' ? 'I have opened it' : 'Send'}
				</button>
				<button type="button" onClick={() => void run.answer('decline')}>
					Decline
				</button>
				<button type="button" onClick={() => void run.answer('cancel')}>
					Dismiss
				</button>
			</p>
		</form>
	);
}

/** The whole address is shown, so that the reader sees where it leads before following it. */
function ElicitationAddress({ url }: { url: string }): JSX.Element {
	return (
		<p class="address">
			{isSafeAddress(url) ? <OutsideLink href={url}>{visibleLine(url)}</OutsideLink> : visibleLine(url)}
		</p>
	);
}

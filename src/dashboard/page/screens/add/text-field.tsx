/* A field with a text that belongs to a signal. */
import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { visibleLine, visibleText } from '../../text/visible-text.tsx';

interface LabelledTextProps {
	readonly label: string;
	readonly text: Signal<string>;
	readonly about?: string | undefined;
	/** Several lines. */
	readonly isLong?: boolean;
}

export function TextField({ label, text, about, isLong }: LabelledTextProps): JSX.Element {
	const id = useId();
	const attributes = {
		id,
		value: text.value,
		autocomplete: 'off',
		spellcheck: false,
		'aria-describedby': about === undefined ? undefined : `${id}-about`,
	};
	return (
		<div class="field">
			<label for={id} class="field-title">
				{visibleLine(label)}
			</label>
			{isLong ? (
				<textarea {...attributes} rows={2} onInput={(event) => (text.value = event.currentTarget.value)} />
			) : (
				<input {...attributes} type="text" onInput={(event) => (text.value = event.currentTarget.value)} />
			)}
			{about !== undefined && (
				<p class="about" id={`${id}-about`}>
					{visibleText(about)}
				</p>
			)}
		</div>
	);
}

/* The control of one field. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { attempt } from '../../../errors.ts';
import { INPUT_ROWS_LIMIT } from '../page-limits.ts';
import { attributeText, visibleLine } from '../text/visible-text.tsx';
import { FileInput, isBase64 } from './file-input.tsx';
import type { FieldKind, FormField } from './form-field.ts';
import { Unparsed, valueAt } from './form-value.ts';
import type { FieldProps } from './schema-form.tsx';
import { TimeInput } from './time-input.tsx';

export interface FieldAttributes {
	readonly id: string;
	readonly name: string;
	readonly 'aria-describedby': string | undefined;
	readonly 'aria-invalid': boolean;
	readonly 'aria-required': boolean;
}

interface ControlProps {
	readonly field: FormField;
	readonly value: unknown;
	readonly set: (value: unknown) => void;
	readonly attributes: FieldAttributes;
}

export function FieldInput(props: FieldProps & { attributes: FieldAttributes }): JSX.Element {
	const { field, path, form, attributes } = props;
	const Control = CONTROLS[field.kind] ?? JsonInput;
	return (
		<Control
			field={field}
			attributes={attributes}
			value={valueAt(form.draft, path)}
			set={(value) => form.change(path, value)}
		/>
	);
}

const CONTROLS: Readonly<Partial<Record<FieldKind, (props: ControlProps) => JSX.Element>>> = {
	boolean: BooleanInput,
	number: NumberInput,
	choice: ChoiceInput,
	choices: ChoicesInput,
	text: TextInput,
};

function BooleanInput({ value, set, attributes }: ControlProps): JSX.Element {
	return (
		<input
			{...attributes}
			type="checkbox"
			checked={value === true}
			onChange={(event) => set(event.currentTarget.checked)}
		/>
	);
}

function TextInput({ field, value, set, attributes }: ControlProps): JSX.Element {
	const { format, minLength } = field.schema;
	const shown = typeof value === 'string' ? value : '';
	const take = (text: string): void => set(text === '' && !field.isRequired ? undefined : text);
	// An empty text is no address, no date and no file.
	const pick = (text: string): void => set(text === '' ? undefined : text);
	const hint = typeof format === 'string' ? attributeText(format) : undefined;
	const control = { ...attributes, value: shown, placeholder: hint };
	const onInput = (event: { currentTarget: HTMLInputElement }): void => pick(event.currentTarget.value);
	if (format === 'email') return <input {...control} type="email" onInput={onInput} />;
	if (format === 'uri') return <input {...control} type="url" onInput={onInput} />;
	if (format === 'date') return <input {...control} type="date" onInput={onInput} />;
	if (format === 'date-time' || format === 'time')
		return <TimeInput attributes={attributes} text={shown} isTime={format === 'time'} onText={pick} />;
	if (isBase64(field.schema))
		return <FileInput attributes={attributes} schema={field.schema} data={shown} onData={pick} />;
	return (
		<GrowingText
			attributes={attributes}
			text={shown}
			placeholder={hint}
			rows={typeof minLength === 'number' && minLength > 100 ? 4 : 1}
			onText={take}
		/>
	);
}

interface GrowingTextProps {
	readonly attributes: FieldAttributes;
	readonly text: string;
	readonly placeholder?: string | undefined;
	readonly rows: number;
	readonly isCode?: boolean;
	readonly onText: (text: string) => void;
}

/** A text area that is as high as its text. */
function GrowingText({ attributes, text, placeholder, rows, isCode, onText }: GrowingTextProps): JSX.Element {
	const lines = text.split('\n', INPUT_ROWS_LIMIT).length;
	return (
		<textarea
			{...attributes}
			class={isCode ? 'code' : undefined}
			rows={Math.max(rows, lines)}
			value={text}
			placeholder={placeholder}
			spellcheck={false}
			onInput={(event) => onText(event.currentTarget.value)}
		/>
	);
}

function NumberInput({ field, value, set, attributes }: ControlProps): JSX.Element {
	const { minimum, maximum } = field.schema;
	const range = [
		typeof minimum === 'number' ? `from ${minimum}` : '',
		typeof maximum === 'number' ? `to ${maximum}` : '',
	];
	const take = (text: string): void => {
		if (text.trim() === '') return set(undefined);
		const number = Number(text);
		set(Number.isFinite(number) && !/[.eE+-]$/.test(text) ? number : new Unparsed(text));
	};
	// What is typed stays: `1.0` is 1 as a number, and `1.` none yet.
	const typed = useRef('');
	const current = value instanceof Unparsed ? value.text : typeof value === 'number' ? String(value) : '';
	const shown = typed.current !== '' && Number(typed.current) === value ? typed.current : current;
	return (
		<input
			{...attributes}
			type="text"
			inputMode="decimal"
			autocomplete="off"
			value={shown}
			placeholder={range.join(' ').trim() || undefined}
			onInput={(event) => {
				typed.current = event.currentTarget.value;
				take(event.currentTarget.value);
			}}
		/>
	);
}

function ChoiceInput({ field, value, set, attributes }: ControlProps): JSX.Element {
	const at = field.choices.findIndex((choice) => isSame(choice.value, value));
	return (
		<select
			{...attributes}
			value={String(at)}
			onChange={(event) => set(field.choices[Number(event.currentTarget.value)]?.value)}
		>
			<option value="-1">{field.isRequired ? 'Choose…' : 'not set'}</option>
			{field.choices.map(({ title }, index) => (
				<option value={String(index)}>{attributeText(title)}</option>
			))}
		</select>
	);
}

function ChoicesInput({ field, value, set, attributes }: ControlProps): JSX.Element {
	const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
	const toggle = (choice: unknown, isOn: boolean): void => {
		const next = field.choices
			.map((each) => each.value)
			.filter((each) => (isSame(each, choice) ? isOn : chosen.some((one) => isSame(one, each))));
		set(next.length === 0 && !field.isRequired ? undefined : next);
	};
	return (
		<div class="choices" role="group" id={attributes.id} aria-describedby={attributes['aria-describedby']}>
			{field.choices.map((choice) => (
				<label>
					<input
						type="checkbox"
						checked={chosen.some((one) => isSame(one, choice.value))}
						onChange={(event) => toggle(choice.value, event.currentTarget.checked)}
					/>
					{visibleLine(choice.title)}
				</label>
			))}
		</div>
	);
}

/** The text stays as it is typed; it is read again only when the value changes from outside. */
function JsonInput({ value, set, attributes }: ControlProps): JSX.Element {
	const text = useRef<{ text: string; value: unknown }>({ text: '', value: undefined });
	if (text.current.value !== value) text.current = { text: asJson(value), value };
	return (
		<GrowingText
			attributes={attributes}
			text={text.current.text}
			placeholder="JSON"
			rows={3}
			isCode
			onText={(next) => {
				const read = next.trim() === '' ? undefined : parse(next);
				text.current = { text: next, value: read };
				set(read);
			}}
		/>
	);
}

function asJson(value: unknown): string {
	if (value instanceof Unparsed) return value.text;
	return value === undefined ? '' : JSON.stringify(value, null, 2);
}

function parse(text: string): unknown {
	return attempt(() => JSON.parse(text), new Unparsed(text));
}

function isSame(one: unknown, other: unknown): boolean {
	return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}

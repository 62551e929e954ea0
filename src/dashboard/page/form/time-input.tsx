/*
 * A time of day, or a date with a time. The browser asks in the local time of the reader; the value
 * has the offset, as JSON Schema wants it.
 */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { FieldAttributes } from './field-input.tsx';

interface TimeInputProps {
	readonly attributes: FieldAttributes;
	readonly text: string;
	/** Without a date. */
	readonly isTime: boolean;
	readonly onText: (text: string) => void;
}

export function TimeInput({ attributes, text, isTime, onText }: TimeInputProps): JSX.Element {
	// What is typed stays as it is while it is the value.
	const typed = useRef({ local: '', value: '' });
	const shown = typed.current.value === text ? typed.current.local : localText(text, isTime);
	return (
		<input
			{...attributes}
			type={isTime ? 'time' : 'datetime-local'}
			step={1}
			value={shown}
			onInput={(event) => {
				const local = event.currentTarget.value;
				const value = local === '' ? '' : withOffset(local, isTime);
				typed.current = { local, value };
				onText(value);
			}}
		/>
	);
}

/** `2026-11-18T05:00` → `2026-11-18T05:00:00+01:00`. A time of day gets the offset of now. */
function withOffset(local: string, isTime: boolean): string {
	const whole = /:\d\d:\d\d/.test(local) ? local : `${local}:00`;
	const minutes = -(isTime ? new Date() : new Date(whole)).getTimezoneOffset();
	if (minutes === 0) return `${whole}Z`;
	const two = (value: number): string => String(value).padStart(2, '0');
	const size = Math.abs(minutes);
	return `${whole}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The text that the field of the browser takes; empty for a value that is no time. */
function localText(text: string, isTime: boolean): string {
	if (isTime) return /^\d\d:\d\d(?::\d\d)?/.exec(text)?.[0] ?? '';
	const date = new Date(text);
	if (text === '' || Number.isNaN(date.getTime())) return '';
	return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

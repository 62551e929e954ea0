/* A file for a field that takes base64: read here, shown when it is an image. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { BitmapImage } from '../call/bitmap-image.tsx';
import { base64Size } from '../call/download-link.tsx';
import { CHOSEN_FILE_BYTES } from '../page-limits.ts';
import { formatBytes } from '../text/quantities.ts';
import { visibleLine } from '../text/visible-text.tsx';
import type { FieldAttributes } from './field-input.tsx';
import type { JsonSchema } from './form-field.ts';

/** Bytes that are encoded at a time: each is an argument of a call. */
const CHUNK = 0x8000;

const FORMATS: ReadonlySet<unknown> = new Set(['byte', 'base64', 'binary']);

/** Whether a text field takes base64. */
export function isBase64({ contentEncoding, format }: JsonSchema): boolean {
	return contentEncoding === 'base64' || FORMATS.has(format);
}

interface FileInputProps {
	readonly attributes: FieldAttributes;
	readonly schema: JsonSchema;
	readonly data: string;
	readonly onData: (data: string) => void;
}

export function FileInput({ attributes, schema, data, onData }: FileInputProps): JSX.Element {
	const { contentMediaType } = schema;
	const accepted = typeof contentMediaType === 'string' ? contentMediaType : undefined;
	const input = useRef<HTMLInputElement>(null);
	const about = useSignal('');
	const type = useSignal('');
	const take = async (file: File | undefined): Promise<void> => {
		if (!file) return;
		if (file.size > CHOSEN_FILE_BYTES) {
			about.value = `${file.name} has ${formatBytes(file.size)}; at most ${formatBytes(CHOSEN_FILE_BYTES)} can be sent.`;
			return onData('');
		}
		const bytes = new Uint8Array(await file.arrayBuffer());
		about.value = `${file.name}, ${formatBytes(file.size)}`;
		type.value = file.type;
		onData(base64Of(bytes));
	};
	const remove = (): void => {
		if (input.current) input.current.value = '';
		about.value = '';
		type.value = '';
		onData('');
	};
	// A draft that was left has its data, and no file.
	const mimeType = type.value || (accepted ?? '');
	return (
		<div class="file-input">
			<input
				{...attributes}
				ref={input}
				type="file"
				accept={accepted}
				onChange={(event) => void take(event.currentTarget.files?.[0])}
			/>
			{(about.value !== '' || data !== '') && (
				<p class="dim" role="status">
					{visibleLine(about.value || `a file of ${formatBytes(base64Size(data))}`)}
					{data !== '' && (
						<button type="button" class="quiet" onClick={remove}>
							Remove
						</button>
					)}
				</p>
			)}
			{data !== '' && /^image\/(?!svg)/.test(mimeType) && <BitmapImage data={data} mimeType={mimeType} />}
		</div>
	);
}

function base64Of(bytes: Uint8Array): string {
	let text = '';
	for (let at = 0; at < bytes.length; at += CHUNK)
		text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
	return btoa(text);
}

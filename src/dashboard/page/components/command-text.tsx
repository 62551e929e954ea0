/* A command that does the same in a terminal, with a button that copies it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { COPIED_MS } from '../page-limits.ts';
import { attributeText, visibleLine } from '../text/visible-text.tsx';

export function CommandText({ command }: { command: string }): JSX.Element {
	return (
		<span class="command">
			<code>{visibleLine(command)}</code>
			<CopyButton text={command} label="Copy" what={command} />
		</span>
	);
}

interface CopyButtonProps {
	readonly text: string | (() => string);
	readonly label: string;
	/** The name of the copied text, for a screen reader. */
	readonly what?: string;
}

export function CopyButton({ text, label, what }: CopyButtonProps): JSX.Element {
	const shown = useSignal(label);
	const copy = async (): Promise<void> => {
		shown.value = (await copyText(typeof text === 'string' ? text : text())) ? 'Copied' : 'Not copied';
		setTimeout(() => {
			shown.value = label;
		}, COPIED_MS);
	};
	return (
		<button
			type="button"
			class="quiet copy"
			aria-label={what === undefined ? undefined : attributeText(`${shown.value}: ${what}`)}
			onClick={() => void copy()}
		>
			{shown}
		</button>
	);
}

/** The clipboard needs a secure context, which loopback is; an old browser may refuse still. */
async function copyText(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false;
	}
}

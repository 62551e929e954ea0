/* Foreign text made safe for a terminal: a tool may not move the cursor or set the title. */

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** `text` with every control character but tab and newline shown as a code. */
export function printable(text: string): string {
	return text.replace(control, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/*
 * Put values into the placeholders of a prompt, in one pass over its text, so that a value
 * which looks like a placeholder is never replaced again.
 *
 * In plain text a value stands as it was given. Inside a URI it is percent-encoded: a
 * `#` or `&` in `orchestr8://match?query=${task}` would cut the link in two.
 */
import { OrchestraError } from '../../errors.ts';
import { encodeSegment } from '../uri.ts';
import { FILLED_PROMPT_LIMIT_CHARACTERS, PLACEHOLDER_URI_CHARACTERS } from './library-limits.ts';

export const PLACEHOLDER: RegExp = /\$\{([A-Za-z_][\w-]*)\}|\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|\$(ARGUMENTS)\b/g;

/** What stands before a placeholder in the same word, from the scheme of a URI on. */
const URI_BEFORE = /([a-z][a-z\d+.-]*):\/\/[^\s<>"'`()[\]|\\^]*$/i;
const LIBRARY_SCHEME = 'orchestr8';

/**
 * The text with its placeholders filled. `valueOf` gets the name of a placeholder, undefined for `$ARGUMENTS`, and returns
 * undefined for a placeholder that stays unchanged. Throws `bad_input` when the values make the text too long.
 */
export function fillPlaceholders(
	body: string,
	valueOf: (name: string | undefined) => string | undefined,
): string {
	// The placeholders themselves may hold spaces and braces, which no URI has.
	const masked = body.replace(PLACEHOLDER, (placeholder) => 'x'.repeat(placeholder.length));
	let length = body.length;
	return body.replace(PLACEHOLDER, (placeholder: string, ...found: unknown[]) => {
		const [shell, braces, , at] = found as [string?, string?, string?, number?];
		const value = valueOf(shell ?? braces);
		if (value === undefined) return placeholder;
		const text = valueFor(value, masked.slice(Math.max(0, (at ?? 0) - PLACEHOLDER_URI_CHARACTERS), at));
		length += text.length - placeholder.length;
		if (length > FILLED_PROMPT_LIMIT_CHARACTERS) throw tooLong();
		return text;
	});
}

function valueFor(value: string, before: string): string {
	const [uri, scheme = ''] = URI_BEFORE.exec(before.slice(before.search(/\S*$/))) ?? [];
	if (uri === undefined) return value;
	if (uri.includes('?')) return encodeSegment(value);
	// A host, a port or a path of another scheme may be one value; only our own names are known to be segments.
	return scheme.toLowerCase() === LIBRARY_SCHEME ? value.split('/').map(encodeSegment).join('/') : value;
}

function tooLong(): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`the filled prompt is longer than ${FILLED_PROMPT_LIMIT_CHARACTERS} characters`,
		{ hint: 'Give shorter arguments.', data: { limit: FILLED_PROMPT_LIMIT_CHARACTERS } },
	);
}

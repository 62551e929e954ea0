/*
 * Values that look like secrets in plain text: tokens, keys, passwords. They are never
 * printed. A wrong guess costs a log line or a masked value, so the rules are generous.
 */
import { isObject } from '../../wire/json.ts';
import { SECRET_TEXT_CHARACTERS } from '../config-limits.ts';

const secretName =
	/token|secret|passw|api[-_]?key|apikey|access[-_]?key|private[-_]?key|credential|authorization|^auth$|[-_]pat$|^pat$|[-_]key$|^key$|cookie/i;
const knownToken =
	/\b(?:sk|pk|rk)-[\w-]{12,}|\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{12,}|\bxox[abeprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w-]{16,}|\beyJ[\w-]{10,}\.[\w-]{10,}|\bnpm_\w{20,}|\bhf_\w{16,}|\b(?:Bearer|Basic) [\w.~+/=-]{8,}|:\/\/[^/\s:@]+:[^/\s@]+@/;

/** A value that only refers to a variable is none. */
const reference = /\$\{[^}]*\}/g;

/** True when the value of `name` looks like a secret in plain text. */
export function looksLikeSecret(name: string, value: string): boolean {
	const plain = value.replace(reference, '').slice(0, SECRET_TEXT_CHARACTERS);
	if (knownToken.test(plain)) return true;
	const credential = plain.replace(/^(?:Bearer|Basic|token)\s*/i, '').trim();
	const isPlainWord =
		/^(?:true|false|yes|no|none|\d{1,5})?$/i.test(credential) || /^[.~]?\//.test(credential);
	return secretName.test(name) && !isPlainWord;
}

/** The names of the values of an entry that look like secrets, such as `env.TOKEN`. */
export function plainSecrets(entry: unknown): string[] {
	return secretValues(entry).map(({ where }) => where);
}

/** `env` and `headers` by name, `args` by position, the URL. */
export function secretValues(entry: unknown): { readonly where: string; readonly value: string }[] {
	if (!isObject(entry)) return [];
	const maps = ['env', 'headers'].flatMap((map) =>
		Object.entries(isObject(entry[map]) ? entry[map] : {}).map(([name, value]) => ({ map, name, value })),
	);
	const args = Array.isArray(entry['args']) ? entry['args'] : [];
	const all = [
		...maps.map(({ map, name, value }) => ({ where: `${map}.${name}`, name, value })),
		...args.map((value: unknown, index) => ({
			where: `args.${index}`,
			name: flagBefore(args, index),
			value,
		})),
		{ where: 'url', name: '', value: entry['url'] },
	];
	return all.flatMap(({ where, name, value }) =>
		typeof value === 'string' && looksLikeSecret(name, value) ? [{ where, value }] : [],
	);
}

/** `--token x`: the name of an argument is the flag before it. */
function flagBefore(args: readonly unknown[], index: number): string {
	const before: unknown = args[index - 1];
	const isFlag = typeof before === 'string' && before.startsWith('-') && !String(args[index]).startsWith('-');
	return isFlag ? before.replace(/^-+/, '') : '';
}

const STARS = '********';

const quotedPair = /("|')((?:(?!\1)[^\\\n]|\\.){1,200})\1(\s*[:=]\s*)("|')((?:(?!\4)[^\\\n]|\\.)*)\4/g;
const barePair = /^([+\- ]?\s*(?:- )?)([\w.-]{1,100})(\s*[:=]\s*)(\S.*)$/;

/** A line of a configuration file with every value masked that looks like a secret, and every one of `known`. */
export function maskSecrets(line: string, known: readonly string[] = []): string {
	const masked = known
		.filter((value) => value.length > 3)
		.reduce(
			(text, value) => text.replaceAll(JSON.stringify(value).slice(1, -1), STARS).replaceAll(value, STARS),
			line,
		)
		.replace(quotedPair, (whole, ...[quote, name, colon, other, value]: string[]) =>
			looksLikeSecret(name ?? '', value ?? '')
				? `${quote}${name}${quote}${colon}${other}${STARS}${other}`
				: whole,
		)
		.replace(new RegExp(knownToken.source, 'g'), STARS);
	const [whole, before = '', name = '', colon = '', value = ''] = barePair.exec(masked) ?? [];
	const isOpen = /^[[{]/.test(value);
	return whole !== undefined && !isOpen && !value.includes(STARS) && looksLikeSecret(name, value)
		? `${before}${name}${colon}${STARS}`
		: masked;
}

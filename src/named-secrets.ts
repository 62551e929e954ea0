/*
 * Secrets that are known by their name: `--token VALUE` of a command line, `API_KEY=VALUE`,
 * an argument `password` of a call.
 *
 * One rule for everything that shows a command or the arguments of a call: `list`, `hub ps`,
 * `trust`, settings and calls of the dashboard, recordings. A stranger may have written the
 * command, and a reader must see what it runs, so a value is left as it is when it may be a
 * program: a flag, a path, the first word after a launcher such as `npx`, shell syntax.
 */
import { NESTING_DEPTH } from './core-limits.ts';
import { redact, redactJson } from './redact.ts';
import { MASK } from './token-shapes.ts';

const secretWord = /key|token|secret|passw|pwd|auth|cred|cookie|private|webhook|dsn|session|(?:^|[_-])pat$/i;
/** A name of a place or a choice, not of the secret itself. */
const plainEnd = /[_-](?:path|file|dir|sock|socket|host|port|mode|type|name|enabled|url|uri|endpoint|id)$/i;
const secretUrl = /webhook|dsn/i;
/** A value that is a choice or a count. */
const plainValue = /^(?:[A-Za-z]{0,12}|\d+)$/;
/** Arguments of a call: a `key` of a store, `keywords` and a `pageToken` are none. */
const secretArgument =
	/(?:^|_)(?:(?:api|access|secret|private|encryption|signing|auth|ssh|licen[cs]e|master|account|client|subscription)_?key|secret|password|passwd|passphrase|passcode|pwd|auth|authorization|bearer|jwt|credentials?|cookies?|(?<!(?:page|next|previous|prev|continuation|cursor|sync|stop|max|min)_)token)(?:_|$)/;

/** Programs that take another program, or its source, as an argument. */
const launcher =
	/(?:^|[/\\])(?:node|nodejs|bunx?|deno|np[mx]|pnp[mx]|yarn|uvx?|pipx|python[\d.]*|py|ruby|perl|php|java|dotnet|go|cargo|docker|podman|env|sudo|nohup|timeout|xargs|(?:ba|da|z|fi|k)?sh|cmd|powershell|pwsh)(?:\.exe|\.cmd)?$/i;
const named = /^(-{0,2}[A-Za-z][\w.-]*)(=|:\s*)(.+)$/s;
const flag = /^--?[A-Za-z][\w.-]*$/;
const path = /^(?:\.{0,2}|~)(?:\/[\w.@-]{1,31})+\/?$|^[A-Za-z]:\\/;
const shellSyntax = /[$`;|&<>()]/;
const reference = /\$\{(\w+)(:-[^}]*)?\}/g;

/** Whether the value of an environment variable, a flag or a header with this name is a secret. */
export function isSecretName(name: string): boolean {
	return secretWord.test(name) && !isPlaceName(name);
}

/** Whether a name is that of a place or a choice. */
export function isPlaceName(name: string): boolean {
	return plainEnd.test(name) && !secretUrl.test(name);
}

/** Whether a value is a choice or a count, whatever its name. */
export function isPlainValue(value: string): boolean {
	return plainValue.test(value);
}

/** The arguments of a command for users: without known secrets, and without values whose flag or variable says that they are secret. */
export function redactArgs(command: string, args: readonly string[]): string[] {
	return walkArgs(command, args).map(({ shown }) => redact(shown));
}

/** The values of a command line whose flag or variable says that they are secret. */
export function secretsInArgs(command: string, args: readonly string[]): string[] {
	return walkArgs(command, args).flatMap(({ secrets }) => secrets);
}

/** The arguments of a call for users and recordings: without known secrets, and without strings whose name says that they are secret. */
export function redactArguments(value: unknown): unknown {
	return redactJson(withoutNamed(value, false, 0));
}

interface ShownArg {
	readonly shown: string;
	readonly secrets: readonly string[];
}

function walkArgs(command: string, args: readonly string[]): ShownArg[] {
	let hasProgram = !launcher.test(command);
	let before: string | undefined;
	return args.map((arg) => {
		const isValue = hasProgram && !arg.startsWith('-');
		const found = isValue && before !== undefined ? valueOf(before, arg) : undefined;
		before = flag.test(arg) ? arg : undefined;
		if (!arg.startsWith('-')) hasProgram = true;
		return found ?? (/\s/.test(arg) ? walkText(arg) : walkWord(arg));
	});
}

/** A header, or the text of a shell. */
function walkText(text: string): ShownArg {
	const [, name = '', sign = ''] = named.exec(text) ?? [];
	if (sign.startsWith(':') && isSecretName(name)) return walkWord(text);
	const secrets: string[] = [];
	let before: string | undefined;
	const shown = text.split(/(\s+)/).map((word) => {
		if (word.trim() === '') return word;
		const owner = before;
		before = flag.test(word) ? word : undefined;
		if (shellSyntax.test(word)) return word;
		const found = owner === undefined || word.startsWith('-') ? undefined : valueOf(owner, word);
		const walked = found ?? walkWord(word);
		secrets.push(...walked.secrets);
		return walked.shown;
	});
	return { shown: shown.join(''), secrets };
}

/** `--name=value`, `NAME=value` or `Name: value`. */
function walkWord(word: string): ShownArg {
	const [, name = '', sign = '', value = ''] = named.exec(word) ?? [];
	const found = name === '' ? undefined : valueOf(name, value);
	return found === undefined
		? { shown: word, secrets: [] }
		: { ...found, shown: `${name}${sign}${found.shown}` };
}

/** Undefined for a value that is no secret. The name of a variable is none; its default may be. */
function valueOf(name: string, value: string): ShownArg | undefined {
	const plain = name.replace(/^-+/, '');
	const isNamed = isSecretName(plain) && (isArgumentSecret(plain) || !plainValue.test(value));
	if (!isNamed || path.test(value)) return undefined;
	const rest = value.replace(reference, '').replace(/^(?:Bearer|Basic|Token)\s*/i, '');
	if (rest === '') return { shown: value.replace(reference, withoutDefault), secrets: [] };
	return { shown: MASK, secrets: [value] };
}

function withoutDefault(_: string, variable: string, other: string | undefined): string {
	return `\${${variable}${other === undefined ? '' : `:-${MASK}`}}`;
}

function withoutNamed(value: unknown, isSecret: boolean, depth: number): unknown {
	if (typeof value === 'string') return isSecret && value !== '' ? MASK : value;
	if (typeof value !== 'object' || value === null || depth === NESTING_DEPTH) return value;
	if (Array.isArray(value))
		return sameOr(
			value,
			value.map((inner) => withoutNamed(inner, isSecret, depth + 1)),
		);
	const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
		key,
		withoutNamed(inner, isSecret || isArgumentSecret(key), depth + 1),
	]);
	return entries.every(([key, inner]) => inner === Reflect.get(value, key))
		? value
		: Object.fromEntries(entries);
}

function sameOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
	return after.every((inner, at) => inner === before[at]) ? before : after;
}

/** Whether an argument of a call with this name, in whatever case, is a secret. */
function isArgumentSecret(name: string): boolean {
	const snakeCase = name
		.replace(/([a-z\d])([A-Z])/g, '$1_$2')
		.replace(/[.-]/g, '_')
		.toLowerCase();
	return secretArgument.test(snakeCase) && !plainEnd.test(snakeCase);
}

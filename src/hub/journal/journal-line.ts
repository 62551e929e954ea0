/*
 * The text of one line of the journal.
 *
 * It is composed by hand, without copies of the entry: this is done for every call.
 */
import { sha256 } from '../../files/sha256.ts';
import { hasSecret, redact, redactJson } from '../../redact.ts';
import { canonicalJson, jsonStart } from '../../wire/canonical-json.ts';
import { encodeJson, JsonText } from '../../wire/json-text.ts';
import { JOURNAL_ENCODED_CHARACTERS, JOURNAL_HASHED_BYTES, JOURNAL_NAME_CHARACTERS } from '../hub-limits.ts';
import { isLarger } from '../results/value-size.ts';
import type { JournalEntry, JournalTokens } from './journal.ts';

/** Most bytes of one UTF-16 unit in UTF-8. */
const BYTES_PER_CHARACTER = 3;

/** The members of the JSON object of a line. */
export function journalMembers(entry: JournalEntry): string {
	const { startedAt, ms, outcome, remote, worker, phases, plan, trace, arguments: input, result } = entry;
	const { error, who, decision } = fixedMembers(entry);
	return (
		`"at":"${isoTime(startedAt)}",${who},"ms":${ms},"outcome":"${outcome}"` +
		optional('error', error) +
		optional('remote', remote) +
		optional('worker', worker && redact(worker)) +
		optional('phases', phases) +
		decision +
		optional('plan', plan) +
		optional('trace', trace && redact(trace)) +
		(input === undefined ? '' : digestMembers('arguments', input, canonical)) +
		(result === undefined ? '' : digestMembers('result', result, asReturned))
	);
}

/** The same of a line about tokens: it has no `name` and no `outcome`, so that no reader takes it for a call. */
export function tokenMembers({ at, client, backend, tool, tokens }: JournalTokens): string {
	const strings = { client: shortened(client), backend, tool: tool && shortened(tool) };
	const shown = JSON.stringify({ at: isoTime(at), ...(redactJson(strings) as object), tokens });
	return shown.slice(1, -1);
}

/** The members that are equal in all lines of one tool and client. */
interface FixedMembers {
	readonly error: string | undefined;
	readonly who: string;
	/** The decision of the policy. */
	readonly decision: string;
}

const known = new WeakMap<object, FixedMembers>();

function fixedMembers(entry: JournalEntry): FixedMembers {
	const found = entry.subject && entry.error === undefined ? known.get(entry.subject) : undefined;
	if (found) return found;
	const { client, backend, method, name, error, policy, rule } = shownStrings(entry);
	const made = {
		error,
		who:
			`"client":${JSON.stringify(client)},"backend":${JSON.stringify(backend)}` +
			`,"method":${JSON.stringify(method)},"name":${JSON.stringify(name)}`,
		decision: optional('policy', policy) + optional('rule', rule),
	};
	if (entry.subject && error === undefined) known.set(entry.subject, made);
	return made;
}

let lastTime = Number.NaN;
let lastIso = '';

/** Many calls of a busy hub begin in the same millisecond. */
function isoTime(moment: Date): string {
	const time = moment.getTime();
	if (time !== lastTime) lastIso = moment.toISOString();
	lastTime = time;
	return lastIso;
}

function optional(name: string, value: unknown): string {
	return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}

type LineStrings = Pick<JournalEntry, 'client' | 'backend' | 'method' | 'name' | 'error' | 'policy' | 'rule'>;

/** One look at all strings is much faster than one at each, and nearly no line has a secret. */
function shownStrings(entry: JournalEntry): LineStrings {
	const { backend, method, error, policy, rule } = entry;
	const client = shortened(entry.client);
	const name = shortened(withoutArguments(entry.name));
	const strings = { client, backend, method, name, error, policy, rule };
	const isClean = !hasSecret(`${client}\n${backend}\n${method}\n${name}\n${error}\n${policy}\n${rule}`);
	// Redaction keeps the shape of a JSON value.
	return isClean ? strings : (redactJson(strings) as LineStrings);
}

/** `scheme://user@host/path?query#fragment` becomes `scheme://…@host/path?…`; any other name stays as it is. */
export function withoutArguments(name: string): string {
	if (!/^[a-z][a-z\d+.-]*:/i.test(name)) return name;
	return name.replace(/([?#]).*$/s, '$1…').replace(/^([^:]*:\/\/)[^/]*@/, '$1…@');
}

function shortened(text: string): string {
	return text.length > JOURNAL_NAME_CHARACTERS ? `${text.slice(0, JOURNAL_NAME_CHARACTERS)}…` : text;
}

interface Encoding {
	readonly encode: (value: unknown) => string;
	/** The keys of an object in the order of `encode`. */
	readonly keysOf: (object: object) => string[];
}

const canonical: Encoding = {
	encode: (input) => (input instanceof JsonText ? input.text : canonicalJson(input)),
	keysOf: (object) => Object.keys(object).sort(),
};
const asReturned: Encoding = {
	encode: (result) => (result instanceof JsonText ? result.text : encodeJson(result)),
	keysOf: Object.keys,
};

/** The size and the SHA-256 of a value as JSON. `…HashedBytes` says that only the beginning was hashed. */
function digestMembers(of: 'arguments' | 'result', value: unknown, { encode, keysOf }: Encoding): string {
	try {
		if (!(value instanceof JsonText) && isLarger(value, JOURNAL_ENCODED_CHARACTERS)) {
			const start = Buffer.from(jsonStart(value, JOURNAL_HASHED_BYTES, keysOf)).subarray(
				0,
				JOURNAL_HASHED_BYTES,
			);
			return `,"${of}Sha256":"${sha256(start)}","${of}HashedBytes":${start.length}`;
		}
		return digestOf(of, encode(value));
	} catch {
		return ''; // no JSON, or nested too deeply
	}
}

function digestOf(of: 'arguments' | 'result', text: string): string {
	const bytes = Buffer.byteLength(text);
	if (text.length <= JOURNAL_HASHED_BYTES / BYTES_PER_CHARACTER)
		return `,"${of}Bytes":${bytes},"${of}Sha256":"${sha256(text)}"`;
	const start = Buffer.from(text.slice(0, JOURNAL_HASHED_BYTES)).subarray(0, JOURNAL_HASHED_BYTES);
	const hashed = bytes > start.length ? `,"${of}HashedBytes":${start.length}` : '';
	return `,"${of}Bytes":${bytes},"${of}Sha256":"${sha256(start)}"${hashed}`;
}

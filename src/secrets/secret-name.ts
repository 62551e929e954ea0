/* Which plain values of the configuration are secrets: by the name of the key, header or variable. */
import { addSecret } from '../redact.ts';

const secretWord = /key|token|secret|passw|pwd|auth|cred|cookie|private|webhook|dsn|session/i;
/** A name of a place, not of the secret itself. */
const placeWord = /(?:_|-)(?:path|file|dir|sock|socket|host|port)$/i;
const publicHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent', 'host', 'origin']);

/** Remember the value of an environment variable or key, if its name says that it is secret. */
export function noteNamedValue(name: string, value: string): void {
	if (secretWord.test(name) && !placeWord.test(name) && !/^(?:true|false|\d+)$/i.test(value))
		addSecret(value);
}

/** Remember the value of a header: most headers that a user configures are credentials. */
export function noteHeader(name: string, value: string): void {
	if (publicHeaders.has(name.toLowerCase())) return;
	addSecret(value);
	// Without its scheme, as in `Bearer token`.
	addSecret(value.replace(/^[A-Za-z]+\s+/, ''));
}

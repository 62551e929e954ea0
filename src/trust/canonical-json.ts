/* One text for equal JSON values, whatever the order of their keys, and its SHA-256. */
import { sha256 } from '../files/sha256.ts';

/** JSON with sorted keys and without blanks. Members without a JSON value are left out, as by `JSON.stringify`. */
export function canonicalJson(value: unknown): string {
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value) ?? 'null';
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
	const members = value as Record<string, unknown>;
	let text = '';
	// A loop over the keys: this is done for every call.
	for (const key of Object.keys(members).sort()) {
		const inner = members[key];
		if (inner === undefined) continue;
		text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
	}
	return `{${text}}`;
}

/** SHA-256 of the canonical JSON, in hex. */
export function canonicalSha256(value: unknown): string {
	return sha256(canonicalJson(value));
}

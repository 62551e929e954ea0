/*
 * Values of the configuration that name a secret: `${file:path}`, `${cmd:program args}`,
 * `${keychain:name}`.
 *
 * They stay references until a child starts. A value is split before its variables are
 * expanded, so the content of a variable is never read as a reference.
 */

export type SecretKind = 'file' | 'cmd' | 'keychain';

/** One reference. */
export interface SecretReference {
	readonly kind: SecretKind;
	/** The path, the command line or the name. */
	readonly argument: string;
}

/** A value with at least one reference, and where it was written. */
export interface SecretText {
	/** Plain text and references, in order. */
	readonly parts: readonly (string | SecretReference)[];
	readonly file: string;
	/** The line in the file. */
	readonly sourceLine: number;
	/** The dotted key in the file. */
	readonly key: string;
}

/** Values with references, by the name of the variable, header or key. */
export type SecretStrings = Readonly<Record<string, SecretText>>;

const reference = /\$\{(file|cmd|keychain):([^}]*)\}/g;

/** Whether a value has a secret reference. */
export function hasReference(text: string): boolean {
	return text.search(reference) !== -1;
}

/** The parts of a value; one string when it has no reference. */
export function splitReferences(text: string): (string | SecretReference)[] {
	const parts: (string | SecretReference)[] = [];
	let from = 0;
	for (const match of text.matchAll(reference)) {
		if (match.index > from) parts.push(text.slice(from, match.index));
		// The expression has these three words only.
		parts.push({ kind: match[1] as SecretKind, argument: match[2] ?? '' });
		from = match.index + match[0].length;
	}
	if (from < text.length) parts.push(text.slice(from));
	return parts;
}

/** The reference as it is written in the file. */
export function referenceText({ kind, argument }: SecretReference): string {
	return `\${${kind}:${argument}}`;
}

/** A key for an entry of the configuration that is the same when only its lines have moved. */
export function entryKey(...entry: unknown[]): string {
	return JSON.stringify(entry, (key, value: unknown) => (key === 'sourceLine' ? undefined : value));
}

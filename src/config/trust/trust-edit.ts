/*
 * Trust for a project file that mctl itself writes.
 *
 * An edit through mctl is the user's own, so its result is trusted, but only when that
 * adds nothing of a stranger: the file must be new, trusted, or without anything to
 * block. Otherwise the edit is made and the file stays untrusted. The new bytes are
 * recorded before they are written, so a hub that runs never sees an untrusted version.
 */
import { basename, dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { EFFECT_CHARACTERS, EFFECT_LIMIT } from '../config-limits.ts';
import { parseConfigText } from '../plugins-yaml.ts';
import { trustsAll } from './blocked.ts';
import { type ProjectEffect, projectEffects } from './project-effects.ts';
import { TrustRecord } from './trust-record.ts';

interface ProjectEdit {
	readonly path: string;
	/** The bytes that are replaced; undefined for a new file. */
	readonly before: Uint8Array | undefined;
	readonly after: Uint8Array;
}

/** Record the result of an edit. Returns the reason when the file is not trusted afterwards. */
export async function trustEdit(
	{ path, before, after }: ProjectEdit,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
	if (trustsAll(environment)) return undefined;
	try {
		const effects = effectsOf(path, after);
		if (effects.every(({ isBlocked }) => !isBlocked)) return undefined;
		const record = TrustRecord.ofUser(environment);
		if (before !== undefined && !isTrusted(record, path, before)) return 'it was not trusted before';
		await record.trust(path, after, recordedEffects(effects));
		return undefined;
	} catch (error) {
		return `its trust could not be recorded: ${messageOf(error)}`;
	}
}

/** Whether these bytes may be extended without trusting anything that the user has not seen. */
function isTrusted(record: TrustRecord, path: string, bytes: Uint8Array): boolean {
	if (bytes.length === 0 || effectsOf(path, bytes).every(({ isBlocked }) => !isBlocked)) return true;
	return record.has(path, bytes);
}

/** The effects for the record: a text by the name of each, within bounds. */
export function recordedEffects(effects: readonly ProjectEffect[]): Record<string, string> {
	const strings = effects
		.slice(0, EFFECT_LIMIT)
		.map(({ text, ...effect }): [string, string] => [effectName(effect), recordedText(text)]);
	return Object.fromEntries(strings);
}

/** `server files`, `plugin tools.x`, `setting hub.httpAddr`. */
export function effectName({ kind, name }: Pick<ProjectEffect, 'kind' | 'name'>): string {
	return `${kind} ${name}`;
}

/** A long text is cut, and its hash distinguishes it from others with the same start. */
export function recordedText(text: string): string {
	if (text.length <= EFFECT_CHARACTERS) return text;
	return `${text.slice(0, EFFECT_CHARACTERS)}… (SHA-256 ${sha256(Buffer.from(text))})`;
}

function effectsOf(path: string, bytes: Uint8Array): ProjectEffect[] {
	const text = Buffer.from(bytes).toString('utf8');
	return text.trim() === '' ? [] : projectEffects(parseConfigText(text, path).value, dirname(path));
}

/** A file that servers are taken from. */
interface ImportSource {
	readonly path: string;
	readonly bytes: Uint8Array;
}

/** Like `trustEdit`, but only when every source is trusted: importing a server must not trust it. */
export async function importTrust(
	edit: ProjectEdit,
	sources: readonly ImportSource[],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
	if (trustsAll(environment)) return undefined;
	const record = TrustRecord.ofUser(environment);
	try {
		const stranger = sources.find(({ path, bytes }) => !record.has(path, bytes));
		if (stranger) return `servers in it come from ${basename(stranger.path)}, which is not trusted`;
	} catch (error) {
		return `the record of trust cannot be used: ${messageOf(error)}`;
	}
	return trustEdit(edit, environment);
}

/*
 * Whether a project file is trusted, and what is blocked when it is not.
 *
 * The bytes that are hashed are those that were parsed: a file that is replaced meanwhile
 * changes nothing. A record that cannot be read trusts nothing.
 */
import { dirname } from 'node:path';
import { attempt, messageOf } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { quoted } from '../../printable.ts';
import type { ProjectEffect } from './project-effects.ts';
import { type TrustedProject, TrustRecord } from './trust-record.ts';

/** `all` trusts every project file, for CI. */
export const TRUST_VARIABLE = 'ORCHESTRA_TRUST';

/** A project file as it was read. */
export interface ReadProjectFile {
	readonly file: string;
	readonly bytes: Uint8Array;
	/** The programs and settings that it would use; a file that is trusted as it is needs no look at them. */
	readonly effects: () => readonly ProjectEffect[];
	/** The folder of the project. */
	readonly folder: string;
}

/** A project file that is not trusted. */
export interface BlockedFile {
	readonly file: string;
	/** The folder to run `mctl trust` in. */
	readonly folder: string;
	readonly reason: 'new' | 'changed';
	/** Why the record could not be read. */
	readonly recordProblem: string | undefined;
	/** Another state folder of this user, under which the file is trusted as it is. */
	readonly trustedUnder: string | undefined;
	/** The state folder whose record counts. */
	readonly stateFolder: string;
	/** All effects of the file; those with `isBlocked` have none now. */
	readonly effects: readonly ProjectEffect[];
	/** The programs of the trusted version, by name. Undefined for a file that was never trusted. */
	readonly trustedEffects: Readonly<Record<string, string>> | undefined;
}

export function trustsAll(environment: Readonly<NodeJS.ProcessEnv>): boolean {
	return environment[TRUST_VARIABLE] === 'all';
}

/** Undefined for a file that is trusted or needs no trust. The record is read only when it matters. */
export function blockUntrusted(
	{ file, bytes, effects, folder }: ReadProjectFile,
	environment: Readonly<NodeJS.ProcessEnv>,
): BlockedFile | undefined {
	if (trustsAll(environment)) return undefined;
	const { trusted, problem } = recordOf(file, environment);
	if (trusted?.sha256.includes(sha256(bytes))) return undefined;
	const found = effects();
	if (found.length === 0) return undefined;
	const reason = trusted ? 'changed' : 'new';
	return {
		file,
		folder,
		reason,
		recordProblem: problem,
		trustedUnder: otherFolder(file, bytes, environment),
		stateFolder: stateFolder(environment),
		effects: found,
		trustedEffects: trusted?.runs,
	};
}

function recordOf(
	file: string,
	environment: Readonly<NodeJS.ProcessEnv>,
): { trusted?: TrustedProject | undefined; problem?: string } {
	try {
		return { trusted: TrustRecord.ofUser(environment).find(file) };
	} catch (error) {
		return { problem: messageOf(error) };
	}
}

function otherFolder(
	file: string,
	bytes: Uint8Array,
	environment: Readonly<NodeJS.ProcessEnv>,
): string | undefined {
	// The list of folders cannot be used: the message says less.
	return attempt(() => TrustRecord.otherFolderOf(file, bytes, environment));
}

/** Names in a sentence. */
const SHOWN_NAMES = 8;

/** One sentence for users and agents. Names that could be read as more than a name are not in it. */
export function blockedText(project: BlockedFile): string {
	const { file, reason, recordProblem, trustedUnder, effects } = project;
	const blocked = effects.filter(({ isBlocked }) => isBlocked);
	const parts = kinds.map((kind) => namesOf(blocked, kind)).filter((part) => part !== '');
	const last = parts.pop() ?? '';
	const what = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
	const why = reason === 'new' ? 'is not trusted' : 'was changed since it was trusted';
	const broken = recordProblem === undefined ? '' : ` (the record of trust cannot be used: ${recordProblem})`;
	const elsewhere =
		trustedUnder === undefined
			? ''
			: ` in the state folder ${project.stateFolder} (it is trusted in ${trustedUnder}: XDG_STATE_HOME is another one here)`;
	return `${file} ${why}${broken}${elsewhere}, so ${what} ${blocked.length === 1 ? 'is' : 'are'} blocked`;
}

/** The next step of the user. */
export function trustHint({ folder, trustedUnder, stateFolder: own }: BlockedFile): string {
	if (trustedUnder !== undefined) {
		const trust = `XDG_STATE_HOME=${quoted(dirname(own))} mctl trust`;
		return `let the program that starts mctl pass XDG_STATE_HOME=${quoted(dirname(trustedUnder))} on, or run "${trust}" in ${folder}`;
	}
	return `run "mctl trust" in ${folder}; "mctl trust --dry-run" shows what the project would run`;
}

const kinds: readonly ProjectEffect['kind'][] = ['server', 'plugin', 'setting', 'plan'];

function namesOf(effects: readonly ProjectEffect[], kind: ProjectEffect['kind']): string {
	const names = effects.filter((effect) => effect.kind === kind).map(({ name }) => plainName(name));
	if (names.length === 0) return '';
	const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : '';
	const what = kind === 'server' ? 'MCP server' : kind;
	return `the ${what}${names.length === 1 ? '' : 's'} ${names.slice(0, SHOWN_NAMES).join(', ')}${more}`;
}

/** A stranger chose the name, and an agent reads the sentence. */
function plainName(name: string): string {
	return /^[\w.@/()-][\w.@/() -]{0,47}$/.test(name) && !/\w \w+ \w/.test(name) ? name : '(unusual name)';
}

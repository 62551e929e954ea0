/*
 * The one way in which a command line names a server: by its name, by one of its tools
 * (`files__read`), by its URL, as a program (`stdio:…`), or as the server of a client
 * (`cursor:github`). A command that cannot serve a form refuses it with the same sentence.
 */
import type { RemoteServerEntry, ServerEntry } from '../../config/configuration.ts';
import { type BlockedFile, blockedText, trustHint } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { accountOf } from '../../oauth/account.ts';
import { quoted } from '../../printable.ts';
import { ServerNames } from '../../trust/tool-name.ts';
import type { CommandPlace } from '../command.ts';

interface Named {
	readonly name: string;
}

export type TargetName<Entry extends Named> =
	| { readonly form: 'program' | 'url' }
	/** `tool` is the name at the server, in `files__read`. */
	| { readonly form: 'server'; readonly entry: Entry; readonly tool: string | undefined }
	| { readonly form: 'client'; readonly entry: ServerEntry }
	/** Another name: that of a tool without a server, or of nothing. */
	| { readonly form: 'other' };

/** The entries that an argument is compared with. */
export interface NamedEntries<Entry extends Named> {
	readonly entries: readonly Entry[];
	/** Those whose tools have the server in their names. Default: all. */
	readonly prefixed?: readonly Entry[] | undefined;
}

/** What an argument names. Throws `bad_input` when a client does not have the server, or it cannot be used. */
export async function readTargetName<Entry extends Named>(
	arg: string,
	{ entries, prefixed }: NamedEntries<Entry>,
	{ cwd, environment }: CommandPlace,
): Promise<TargetName<Entry>> {
	if (isProgram(arg)) return { form: 'program' };
	if (isUrl(arg)) return { form: 'url' };
	const named = entries.find(({ name }) => name === arg);
	if (named) return { form: 'server', entry: named, tool: undefined };
	if (isOfClient(arg)) {
		const { clientServerNamed } = await import('./client-servers.ts');
		const entry = clientServerNamed(arg, { cwd, environment });
		if (entry) return { form: 'client', entry };
	}
	const { owner, tool } = ownerOf(arg, prefixed ?? entries);
	return owner ? { form: 'server', entry: owner, tool } : { form: 'other' };
}

/** The server that a name begins with, and the rest of the name. */
export function ownerOf<Entry extends Named>(
	name: string,
	entries: readonly Entry[],
): { owner: Entry | undefined; tool: string } {
	const { server, tool } = new ServerNames(entries.map((entry) => entry.name)).read(name);
	return { owner: entries.find((entry) => entry.name === server), tool };
}

/** True for a `stdio:` URI, a URL, and a server of a client. */
export function isAddress(arg: string): boolean {
	return isProgram(arg) || isUrl(arg) || isOfClient(arg);
}

export function isUrl(arg: string): boolean {
	return /^https?:\/\//i.test(arg);
}

function isProgram(arg: string): boolean {
	return arg.startsWith('stdio:');
}

function isOfClient(arg: string): boolean {
	return /^[a-z-]+:[^/]/.test(arg);
}

/**
 * The entry, for a command that serves nothing else: by its name, one of its tools or its URL. Throws `bad_input`
 * with the nearest names, with the project file that is not trusted, or for a form that names no entry.
 */
export function serverByName<Entry extends Named>(
	entries: readonly Entry[],
	arg: string,
	blocked: readonly BlockedFile[] = [],
): Entry {
	const entry =
		entries.find(({ name }) => name === arg) ??
		ownerOf(arg, entries).owner ??
		entries.find((each) => 'url' in each && each.url === arg);
	if (entry) return entry;
	refuseBlocked(arg, blocked);
	if (isAddress(arg)) {
		throw new OrchestraError('bad_input', `"${arg}" is no server of the configuration`, {
			hint: 'mctl add adds it, mctl init imports the servers of clients, mctl list servers shows those that are here',
			data: { server: arg },
		});
	}
	const names = entries.map(({ name }) => name);
	const guesses = nearest(arg, names);
	throw new OrchestraError('bad_input', `there is no server "${arg}"`, {
		hint: didYouMean(guesses, 'mctl list servers shows the servers'),
		data: { server: arg, nearest: guesses },
	});
}

/** The entry that a URL means; undefined when none has it. Throws `bad_input` when several do, with an account each. */
export function entryOfUrl(entries: readonly ServerEntry[], url: string): RemoteServerEntry | undefined {
	const found = entriesOfUrl(entries, url);
	if (new Set(found.map((each) => accountOf(each).key)).size <= 1) return found[0];
	const names = found.map(({ name }) => name);
	throw new OrchestraError('bad_input', `several entries have this URL: ${names.join(', ')}`, {
		hint: `Each has an account of its own. Name one of them, as in: mctl auth ${names[0]}`,
		data: { servers: names },
	});
}

export function entriesOfUrl(entries: readonly ServerEntry[], url: string): RemoteServerEntry[] {
	return entries.filter((each): each is RemoteServerEntry => each.kind !== 'stdio' && each.url === url);
}

/** Throws `bad_input` when the argument names a server or plugin of a project that is not trusted, or a tool of the server. */
export function refuseBlocked(arg: string, blocked: readonly BlockedFile[]): void {
	for (const file of blocked) {
		const isOfFile = file.effects.some(
			({ kind, name }) =>
				(kind !== 'setting' && arg === name) ||
				(kind === 'server' && new ServerNames([name]).find(arg) !== undefined),
		);
		if (isOfFile) throw new OrchestraError('bad_input', blockedText(file), { hint: trustHint(file) });
	}
}

/** About a server or plugin. */
export function disabledError(name: string, file: string): OrchestraError {
	return new OrchestraError('bad_input', `${name} is disabled in ${file}`, {
		hint: `Enable it with: mctl enable ${quoted(name)}`,
	});
}

/* The remote server that `mctl auth` means: an entry of the configuration, or a URL. */
import type { Configuration, RemoteServerEntry, ServerEntry } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { accountOf, hasAuthorizationHeader } from '../../oauth/account.ts';
import type { OAuthSettings } from '../../oauth/auth-settings.ts';
import type { SecretStrings } from '../../secrets/secret-text.ts';
import { nameOfUrl, publicUrl } from '../../transport/http/http-errors.ts';
import { parseServerUrl } from '../../transport/http/open-http-transport.ts';
import { isUrl } from './call-target.ts';
import { serverByName } from './server-by-name.ts';

export interface AuthTarget {
	/** The target as the user wrote it, without the query of a URL. */
	readonly name: string;
	readonly url: string;
	/** Without the parts that may be secret. */
	readonly shownUrl: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Headers with secret references. */
	readonly secrets?: SecretStrings | undefined;
	readonly settings: OAuthSettings;
	/** Undefined for a URL without an entry. */
	readonly entry: RemoteServerEntry | undefined;
}

/** Throws `bad_input` when there is no such server, or it does not use OAuth. */
export function findAuthTarget(
	{ mcpServers }: Configuration,
	arg: string,
	account: string | undefined,
): AuthTarget {
	const remote = mcpServers.filter((server): server is RemoteServerEntry => server.kind !== 'stdio');
	if (isUrl(arg)) return urlTarget(remote, arg, account);
	return remoteTarget(serverByName(mcpServers, arg), arg);
}

/** The target of one entry. Throws `bad_input` for a program, and for an entry with an Authorization header. */
function remoteTarget(entry: ServerEntry, arg: string): AuthTarget {
	if (entry.kind === 'stdio') {
		throw new OrchestraError('bad_input', `the server "${arg}" is a program on this machine`, {
			hint: 'It gets its credentials from `env` in its entry.',
		});
	}
	return targetOf(entry, arg);
}

/** A server of a client, as in `cursor:github`. Its account is its own; the file of the client is never written. */
export function clientTarget(entry: ServerEntry, arg: string): AuthTarget {
	const target = remoteTarget(entry, arg);
	const { key: account } = accountOf({ ...target, name: arg, file: entry.file, oauth: target.settings });
	return { ...target, settings: { ...target.settings, account }, entry: undefined };
}

/** The target at a URL. With an account it is no entry, but takes the other settings of the first entry with the URL. */
function urlTarget(
	entries: readonly RemoteServerEntry[],
	url: string,
	account: string | undefined,
): AuthTarget {
	const parsed = parseServerUrl(url);
	const name = nameOfUrl(parsed);
	const entry = account === undefined ? entryOfUrl(entries, url) : entries.find((each) => each.url === url);
	if (entry) return { ...targetOf(entry, name), ...(account !== undefined && { entry: undefined }) };
	return { name, url, shownUrl: publicUrl(parsed), headers: {}, settings: {}, entry: undefined };
}

/** The entry that a URL means; undefined when none has it. Throws `bad_input` when several do, with an account each. */
export function entryOfUrl(entries: readonly ServerEntry[], url: string): RemoteServerEntry | undefined {
	const found = entries.filter(
		(each): each is RemoteServerEntry => each.kind !== 'stdio' && each.url === url,
	);
	if (new Set(found.map((each) => accountOf(each).key)).size <= 1) return found[0];
	const names = found.map(({ name }) => name);
	throw new OrchestraError('bad_input', `several entries have this URL: ${names.join(', ')}`, {
		hint: `Each has an account of its own. Name one of them, as in: mctl auth ${names[0]}`,
		data: { servers: names },
	});
}

function targetOf(entry: RemoteServerEntry, name: string): AuthTarget {
	const { url, headers, secrets, oauth, file } = entry;
	if (hasAuthorizationHeader({ ...headers, ...secrets })) {
		throw new OrchestraError('bad_input', `the entry of "${name}" has an Authorization header of its own`, {
			hint: `That header is sent as it is. Remove it from ${file} to sign in in its place.`,
		});
	}
	const shownUrl = publicUrl(parseServerUrl(url));
	return { name, url, shownUrl, headers, secrets, settings: oauth ?? {}, entry };
}

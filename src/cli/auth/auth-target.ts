/* The remote server that `mctl auth` means: an entry of the configuration, or a URL. */
import type { RemoteServerEntry, ServerEntry } from '../../config/configuration.ts';
import type { BlockedFile } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import { accountOf, hasAuthorizationHeader } from '../../oauth/account.ts';
import type { OAuthSettings } from '../../oauth/auth-settings.ts';
import type { SecretStrings } from '../../secrets/secret-text.ts';
import { nameOfUrl, publicUrl } from '../../transport/http/http-errors.ts';
import { parseServerUrl } from '../../transport/http/open-http-transport.ts';
import { entriesOfUrl, entryOfUrl, serverByName, type TargetName } from '../target/target-name.ts';

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

interface AuthTargetOptions {
	/** The argument, as the user wrote it. */
	readonly arg: string;
	/** The account of `--account`. */
	readonly account: string | undefined;
	readonly entries: readonly ServerEntry[];
	readonly blocked: readonly BlockedFile[];
}

/** The target of a name that was read. Throws `bad_input` when there is no such server, or it does not use OAuth. */
export function authTarget(
	named: TargetName<ServerEntry>,
	{ arg, account, entries, blocked }: AuthTargetOptions,
): AuthTarget {
	if (named.form === 'url') return urlTarget(entries, arg, account);
	if (named.form === 'client') return clientTarget(named.entry, arg);
	return remoteTarget(serverByName(entries, arg, blocked), arg);
}

/** A server of a client, as in `cursor:github`. Its account is not shared; the file of the client is never written. */
function clientTarget(entry: ServerEntry, arg: string): AuthTarget {
	const target = remoteTarget(entry, arg);
	const { key: account } = accountOf({ ...target, name: arg, file: entry.file, oauth: target.settings });
	return { ...target, settings: { ...target.settings, account }, entry: undefined };
}

/** The target at a URL. With an account it is no entry, but takes the other settings of the first entry with the URL. */
function urlTarget(entries: readonly ServerEntry[], url: string, account: string | undefined): AuthTarget {
	const parsed = parseServerUrl(url);
	const name = nameOfUrl(parsed);
	const entry = account === undefined ? entryOfUrl(entries, url) : entriesOfUrl(entries, url)[0];
	if (entry) return { ...targetOf(entry, name), ...(account !== undefined && { entry: undefined }) };
	return { name, url, shownUrl: publicUrl(parsed), headers: {}, settings: {}, entry: undefined };
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

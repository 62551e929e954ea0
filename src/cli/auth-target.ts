/* The remote server that `mctl auth` means: an entry of the configuration, or a URL. */
import type { Configuration, RemoteServerEntry } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import type { OAuthSettings } from '../oauth/auth-settings.ts';
import { hasOwnAuthorization } from '../oauth/own-authorization.ts';
import { nearest } from '../search/text/nearest.ts';
import type { SecretTexts } from '../secrets/secret-text.ts';
import { nameOfUrl, publicUrl } from '../transport/http/http-errors.ts';
import { parseServerUrl } from '../transport/http/open-http-transport.ts';

export interface AuthTarget {
	/** As the user wrote it, without the query of a URL. */
	readonly name: string;
	readonly url: string;
	/** Without the parts that may be secret. */
	readonly shownUrl: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Headers with secret references. */
	readonly secrets?: SecretTexts | undefined;
	readonly settings: OAuthSettings;
}

/** Throws `bad_input` when there is no such server, or it does not use OAuth. */
export function findAuthTarget({ mcpServers }: Configuration, word: string): AuthTarget {
	const remote = mcpServers.filter((server): server is RemoteServerEntry => server.kind !== 'stdio');
	if (/^https?:\/\//i.test(word)) return urlTarget(remote, word);
	const entry = mcpServers.find(({ name }) => name === word);
	if (entry === undefined) {
		const names = remote.map(({ name }) => name);
		const guesses = nearest(word, names);
		throw new OrchestraError('bad_input', `there is no server "${word}"`, {
			hint:
				guesses.length > 0
					? `did you mean: ${guesses.join(', ')}`
					: 'mctl list servers shows the servers; a URL works too',
			data: { server: word, nearest: guesses },
		});
	}
	if (entry.kind === 'stdio') {
		throw new OrchestraError('bad_input', `the server "${word}" is a program on this machine`, {
			hint: 'It gets its credentials from `env` in its entry.',
		});
	}
	return targetOf(entry, word);
}

function urlTarget(entries: readonly RemoteServerEntry[], url: string): AuthTarget {
	const entry = entries.find((each) => each.url === url);
	const parsed = parseServerUrl(url);
	const name = nameOfUrl(parsed);
	if (entry) return targetOf(entry, name);
	return { name, url, shownUrl: publicUrl(parsed), headers: {}, settings: {} };
}

function targetOf({ url, headers, secrets, oauth, file }: RemoteServerEntry, name: string): AuthTarget {
	if (hasOwnAuthorization({ ...headers, ...secrets })) {
		throw new OrchestraError('bad_input', `the entry of "${name}" has an Authorization header of its own`, {
			hint: `That header is sent as it is. Remove it from ${file} to sign in in its place.`,
		});
	}
	const shownUrl = publicUrl(parseServerUrl(url));
	return { name, url, shownUrl, headers, secrets, settings: oauth ?? {} };
}

/* A person with a browser, for sign-ins in tests; and the auth object of a server under test. */
import { Log } from '../../src/log.ts';
import { type Account, type AccountSource, accountOf } from '../../src/oauth/account.ts';
import { CredentialStore } from '../../src/oauth/credential-store.ts';
import { type AuthOptions, ServerAuth } from '../../src/oauth/open-auth.ts';
import type { Interaction } from '../../src/oauth/sign-in.ts';
import { parseChallenges } from '../../src/transport/http/challenges.ts';
import { temporaryFolder } from './workspace.ts';

/** Opens each page and follows its redirects, as a browser of a person who agrees. */
export function obedientBrowser(): Interaction & { pages: URL[] } {
	const pages: URL[] = [];
	return {
		pages,
		deadlineMs: 10_000,
		async showPage(url) {
			pages.push(new URL(url));
			void fetch(url).then((response) => response.text());
		},
	};
}

export interface TestedAuth {
	auth: ServerAuth;
	store: CredentialStore;
	lines: string[];
}

/** Authorization for the default account of `url` with a store of its own, or the given ones. */
export function testedAuth(
	options: Omit<AuthOptions, 'store' | 'account'> & {
		url: string;
		account?: Account;
		store?: CredentialStore;
	},
): TestedAuth {
	const lines: string[] = [];
	const log = new Log('auth', {
		level: 'debug',
		format: 'text',
		write: (line) => lines.push(line),
		now: () => new Date(),
	});
	const store = options.store ?? new CredentialStore(`${temporaryFolder()}/auth`, log);
	const account = options.account ?? accountOf(options);
	return { auth: new ServerAuth({ log, ...options, account, store }), store, lines };
}

/** Send one request to the resource as the HTTP client does: with the token, and once more when `auth` says so. */
export async function request(auth: ServerAuth, url: string, tries = 3): Promise<number> {
	for (let left = tries; ; left--) {
		const token = await auth.token();
		const response = await fetch(url, {
			method: 'POST',
			headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
			redirect: 'manual',
		});
		await response.text();
		if ((response.status !== 401 && response.status !== 403) || left === 1) return response.status;
		const challenges = parseChallenges(response.headers.get('www-authenticate') ?? '');
		const status = response.status;
		if ((await auth.onUnauthorized({ status, url, challenges, token })) === 'fail') return status;
	}
}

/** What `mctl auth` does for an entry or a URL, in this process. */
export async function signInTo(environment: NodeJS.ProcessEnv, server: AccountSource): Promise<void> {
	const store = CredentialStore.ofUser(environment, Log.silent);
	const account = accountOf(server);
	await testedAuth({ url: server.url, account, store, interactive: obedientBrowser() }).auth.signIn([]);
}

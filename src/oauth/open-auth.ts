/*
 * Authorization of one server: supplies its token, renews it, and signs in where a
 * user takes part.
 *
 * A refresh token often works once, so two refreshes at the same moment end with one
 * of them locked out. Within a process a refresh is single-flight; between processes
 * a lock file orders them: lock, read the file again, refresh, write. The record on
 * disk is read again whenever it changed, so a hub uses what `mctl auth` stored at its
 * next request.
 */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { printableName } from '../printable.ts';
import { registerQuery } from '../secrets/secret-name.ts';
import type { Challenge } from '../transport/http/challenges.ts';
import type { HttpAuth, Unauthorized } from '../transport/http/http-auth.ts';
import { nameOfUrl } from '../transport/http/http-errors.ts';
import type { Account } from './account.ts';
import { REFRESH_MARGIN_MS, REFUSED_AGAIN_MS, STEP_UP_LIMIT } from './auth-limits.ts';
import { isMachine, type OAuthSettings } from './auth-settings.ts';
import { secretOf } from './client-identity.ts';
import { withResolvedSecrets } from './client-secret.ts';
import type { CredentialStore } from './credential-store.ts';
import { type Credentials, isExpired, type Tokens } from './credentials.ts';
import { bearerOf, type GrantOptions } from './discovery.ts';
import { GuardedHttp } from './guarded-http.ts';
import { machineGrant } from './machine-grant.ts';
import { includesAll, splitScopes } from './scopes.ts';
import { type Interaction, signIn } from './sign-in.ts';
import { type RequestingClient, refreshTokens, revokeTokens } from './token-requests.ts';

export interface AuthOptions {
	/** The URL of the server as configured, and which sign-in there. */
	readonly account: Account;
	/** What the user calls the server, for `mctl auth <name>`. Default: the URL. */
	readonly name?: string | undefined;
	readonly settings?: OAuthSettings | undefined;
	readonly store: CredentialStore;
	/**
	 * The other entries with this URL, in prose. When there are none, the entry takes over the sign-in that an earlier
	 * version stored for the URL. Undefined: never.
	 */
	readonly otherEntries?: (() => readonly string[]) | undefined;
	/** Undefined: no user can sign in here; a refusal becomes an error that names `mctl auth`. */
	readonly interactive?: Interaction | undefined;
	/** The environment, with the variables of proxies. Default: that of this process. */
	readonly environment?: Readonly<NodeJS.ProcessEnv> | undefined;
	readonly log?: Log | undefined;
	/** Ends every wait. */
	readonly signal?: AbortSignal | undefined;
}

/** Authorization for one server. Holds no resources: there is nothing to close. */
export class ServerAuth implements HttpAuth {
	readonly #options: AuthOptions;
	readonly #settings: OAuthSettings;
	readonly #log: Log;
	readonly #http: GuardedHttp;
	#seen: { version: string | undefined; credentials: Credentials | undefined } | undefined;
	#refreshing: Promise<Tokens | undefined> | undefined;
	#signingIn: Promise<void> | undefined;
	/** The token that replaced a refused one, and when. */
	#replacement: { accessToken: string; at: number } | undefined;
	#noRefreshBefore = 0;
	#requested: readonly string[] = [];
	#stepUps = 0;
	#isAdoptionTried = false;

	constructor(options: AuthOptions) {
		this.#options = options;
		this.#settings = options.settings ?? {};
		this.#log = options.log ?? Log.silent;
		const { url } = options.account;
		registerQuery(new URL(url));
		const { issuer, identityProvider: provider } = this.#settings;
		const trusted = [url, issuer, provider?.issuer, provider?.tokenEndpoint].filter(
			(each) => each !== undefined,
		);
		this.#http = new GuardedHttp(trusted, options.signal, options.environment);
	}

	/** The stored credentials of the server that fit the settings. Contains secrets. */
	get credentials(): Credentials | undefined {
		const { store, account } = this.#options;
		const version = store.versionOf(account);
		if (this.#seen === undefined || this.#seen.version !== version)
			this.#seen = { version, credentials: version === undefined ? undefined : store.read(account) };
		const { credentials } = this.#seen;
		return credentials && this.#fits(credentials) ? credentials : undefined;
	}

	/** The token for the next request, refreshed when it is about to expire; undefined when there is none. */
	async token(): Promise<string | undefined> {
		if (!this.#isAdoptionTried) await this.adoptEarlier();
		const tokens = this.credentials?.tokens;
		if (tokens === undefined || !isDue(tokens)) return tokens?.accessToken;
		const isValid = !isExpired(tokens);
		const isRenewable = tokens.refreshToken !== undefined || isMachine(this.#settings);
		if (!isRenewable) return isValid ? tokens.accessToken : undefined;
		if (isValid && Date.now() < this.#noRefreshBefore) return tokens.accessToken;
		try {
			return (await this.#refresh(tokens.generation))?.accessToken;
		} catch (error) {
			if (!isValid) throw error;
			this.#noRefreshBefore = Date.now() + REFRESH_MARGIN_MS / 6;
			this.#log.warn(
				`${this.#name}: the token could not be refreshed yet: ${OrchestraError.from(error).message}`,
			);
			return tokens.accessToken;
		}
	}

	/** Take over what an earlier version stored for the URL, when no other entry has the URL. Without a request. */
	async adoptEarlier(): Promise<void> {
		const { store, account, otherEntries } = this.#options;
		const isSignedIn = store.versionOf(account) !== undefined;
		if (!isSignedIn && otherEntries && store.readEarlier(account.url) && otherEntries().length === 0) {
			const isMoved = await store.adoptEarlier(account);
			if (isMoved) this.#log.info(`${this.#name}: the stored sign-in now belongs to this entry`);
		}
		this.#isAdoptionTried = true;
	}

	/** Get a token that the server may accept. Throws `io` when only a user can. */
	async onUnauthorized({ status, challenges, token }: Unauthorized): Promise<'retry' | 'fail'> {
		const bearer = bearerOf(challenges);
		if (status === 403 || bearer.get('error') === 'insufficient_scope')
			return this.#stepUp(challenges, token);
		const current = await this.token();
		if (current !== undefined && current !== token) return 'retry';
		if (current !== undefined && (await this.#replaceRefused(current))) return 'retry';
		if (isMachine(this.#settings) && current !== undefined) throw this.#machineRefused();
		if (this.#options.interactive === undefined && !isMachine(this.#settings)) throw this.#signInNeeded();
		await this.signIn(challenges);
		return 'retry';
	}

	/** Sign in, whatever is stored, and store the result. `scopes` are requested in addition. */
	signIn(challenges: readonly Challenge[], granted: readonly string[] = []): Promise<void> {
		this.#signingIn ??= this.#signIn(challenges, granted).finally(() => {
			this.#signingIn = undefined;
		});
		return this.#signingIn;
	}

	/** Delete what is stored and withdraw the tokens at the authorization server. True when there was something. A failed withdrawal is logged. */
	async signOut(): Promise<boolean> {
		const { store, account } = this.#options;
		const credentials = store.read(account);
		if (credentials === undefined) return false;
		await store.locked(account, async () => store.write(account, undefined));
		try {
			await revokeTokens(this.#sender(credentials), credentials);
		} catch (error) {
			this.#log.warn(
				`${this.#name}: the tokens were deleted but not withdrawn: ${OrchestraError.from(error).message}`,
			);
		}
		return true;
	}

	get #name(): string {
		return this.#options.name ?? nameOfUrl(new URL(this.#options.account.url));
	}

	/** The command that signs in to this account. */
	get #command(): string {
		const { account } = this.#settings;
		const isNamed = this.#options.account.entry === undefined && account !== undefined;
		return `mctl auth ${this.#name}${isNamed ? ` --account ${account}` : ''}`;
	}

	/** Credentials of another issuer or client than the configured one are never used. */
	#fits({ issuer, client }: Credentials): boolean {
		const { issuer: wanted = issuer, clientId } = this.#settings;
		return (
			wanted === issuer && (client.kind === 'configured' ? client.id === clientId : clientId === undefined)
		);
	}

	/** True when the refused token was replaced by a refresh. One that is itself a fresh replacement is not replaced again. */
	async #replaceRefused(refused: string): Promise<boolean> {
		const tokens = this.credentials?.tokens;
		if (tokens?.refreshToken === undefined && !isMachine(this.#settings)) return false;
		const isAgain =
			this.#replacement?.accessToken === refused && Date.now() - this.#replacement.at < REFUSED_AGAIN_MS;
		if (isAgain || tokens === undefined) return false;
		const fresh = await this.#refresh(tokens.generation);
		if (fresh === undefined || fresh.accessToken === refused) return false;
		this.#replacement = { accessToken: fresh.accessToken, at: Date.now() };
		return true;
	}

	#refresh(generation: string): Promise<Tokens | undefined> {
		const { store, account } = this.#options;
		this.#refreshing ??= store
			.locked(account, () => this.#refreshLocked(generation))
			.finally(() => {
				this.#refreshing = undefined;
			});
		return this.#refreshing;
	}

	/** The tokens after a refresh by this process or another; undefined when the authorization ended. */
	async #refreshLocked(generation: string): Promise<Tokens | undefined> {
		const { store, account } = this.#options;
		const { credentials } = this;
		const tokens = credentials?.tokens;
		if (credentials === undefined || tokens === undefined || tokens.generation !== generation) return tokens;
		if (isMachine(this.#settings)) return (await this.#grant([], [])).tokens;
		if (tokens.refreshToken === undefined) return undefined;
		const resource = this.#settings.sendsResource === false ? undefined : credentials.resource;
		try {
			const fresh = await refreshTokens(
				this.#sender(credentials),
				credentials,
				tokens.refreshToken,
				resource,
			);
			store.write(account, { ...credentials, tokens: fresh });
			return fresh;
		} catch (error) {
			const reason = OrchestraError.is(error) ? error.data['error'] : undefined;
			if (reason !== 'invalid_grant' && reason !== 'invalid_client') throw error;
			return this.#forget(generation, reason === 'invalid_client');
		}
	}

	/** Delete the tokens of one generation, and the registration where it is invalid; a newer record stays. */
	#forget(generation: string, isClientInvalid: boolean): Tokens | undefined {
		const { store, account } = this.#options;
		const credentials = store.read(account);
		if (credentials?.tokens?.generation !== generation) return credentials?.tokens;
		const isKept = !isClientInvalid || credentials.client.kind !== 'registered';
		store.write(account, isKept ? { ...credentials, tokens: undefined } : undefined);
		this.#log.warn(`${this.#name}: the authorization server no longer accepts the stored authorization`);
		return undefined;
	}

	async #stepUp(challenges: readonly Challenge[], refused: string | undefined): Promise<'retry'> {
		const needed = splitScopes(bearerOf(challenges).get('scope'));
		const tokens = this.credentials?.tokens;
		const isNewer = tokens !== undefined && tokens.accessToken !== refused;
		if (isNewer && includesAll(tokens.scopes, needed)) return 'retry';
		const isUseless = this.#stepUps > 0 && includesAll(this.#requested, needed);
		const isPossible = this.#options.interactive !== undefined || isMachine(this.#settings);
		if (!isPossible || isUseless || this.#stepUps >= STEP_UP_LIMIT)
			throw this.#scopeNeeded(needed, isUseless);
		this.#stepUps++;
		const granted = [...new Set([...(tokens?.scopes ?? []), ...this.#requested, ...needed])];
		this.#requested = granted;
		await this.signIn(challenges, granted);
		return 'retry';
	}

	async #signIn(challenges: readonly Challenge[], granted: readonly string[]): Promise<void> {
		const { store, account, interactive, signal } = this.#options;
		if (isMachine(this.#settings)) {
			const { tokens } = await store.locked(account, () => this.#grant(challenges, granted));
			this.#replacement = tokens && { accessToken: tokens.accessToken, at: Date.now() };
			return;
		}
		if (interactive === undefined) throw this.#signInNeeded();
		const found = await signIn({
			...this.#request(this.#settings, challenges, granted),
			stored: store.read(account),
			interaction: interactive,
			signal,
		});
		await store.locked(account, async () => store.write(account, found));
		this.#replacement = found.tokens && { accessToken: found.tokens.accessToken, at: Date.now() };
	}

	/** A token without a sign-in, stored. The caller has the lock. */
	async #grant(challenges: readonly Challenge[], granted: readonly string[]): Promise<Credentials> {
		const { store, account, environment = process.env } = this.#options;
		// Read again: the token of a user expires, and keys are replaced.
		const settings = await withResolvedSecrets(this.#settings, environment);
		const found = await machineGrant(this.#request(settings, challenges, granted));
		store.write(account, found);
		return found;
	}

	#request(
		settings: OAuthSettings,
		challenges: readonly Challenge[],
		granted: readonly string[],
	): GrantOptions {
		const { url } = this.#options.account;
		return { url, settings, challenges, granted, http: this.#http, log: this.#log };
	}

	#sender({ client }: Credentials): RequestingClient {
		return { http: this.#http, client, secret: secretOf(client, this.#settings) };
	}

	#signInNeeded(): OrchestraError {
		const { store, account, otherEntries } = this.#options;
		const isEarlier = store.versionOf(account) === undefined && store.readEarlier(account.url) !== undefined;
		const reason = isEarlier ? `; ${notAdopted(otherEntries?.() ?? [])}` : '';
		const adopt = isEarlier ? `, or to take over that sign-in: ${this.#command} --adopt` : '';
		return new OrchestraError('io', `${this.#name} needs authorization${reason}`, {
			hint: `Run: ${this.#command}${adopt}`,
			data: { server: this.#name, status: 401, outcome: 'not_run' },
		});
	}

	#machineRefused(): OrchestraError {
		return new OrchestraError(
			'io',
			`${this.#name} refuses the token that its authorization server just issued`,
			{
				hint: 'Check `oauth.scopes` and `oauth.resource` of the server, or ask its operator for access.',
				data: { server: this.#name, status: 401, outcome: 'not_run' },
			},
		);
	}

	#scopeNeeded(needed: readonly string[], isUseless: boolean): OrchestraError {
		const scopes = printableName(needed.join(' '));
		const missing = scopes === '' ? 'more scopes' : `the scopes "${scopes}"`;
		const still = isUseless ? 'still needs' : 'needs';
		const flag = scopes === '' ? '' : ` --scope "${scopes.replace(/["`$\\]/g, '')}"`;
		return new OrchestraError('io', `${this.#name} ${still} ${missing}`, {
			hint: isUseless
				? 'The authorization server did not grant them; ask its operator for access.'
				: `Run: ${this.#command}${flag}`,
			data: { server: this.#name, status: 403, scopes: needed, outcome: 'not_run' },
		});
	}
}

/** Why no entry uses the sign-in that an earlier version stored for a URL. */
export function notAdopted(others: readonly string[]): string {
	const what = 'the sign-in that an earlier version stored for this URL belongs to no entry';
	return others.length === 0 ? what : `${what}, because others have the same URL: ${others.join(', ')}`;
}

/** Within the last fifth of the life of a short token, or the last minute of a long one. */
function isDue({ obtainedAt, expiresAt }: Tokens): boolean {
	if (expiresAt === undefined) return false;
	const marginMs = Math.min(REFRESH_MARGIN_MS, (expiresAt - obtainedAt) / 5);
	return Date.now() >= expiresAt - marginMs;
}

/*
 * Authorization of one server: supplies its token, renews it, and signs in where a
 * person takes part.
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
import { noteQuery } from '../secrets/secret-name.ts';
import type { Challenge } from '../transport/http/challenges.ts';
import type { HttpAuth, Unauthorized } from '../transport/http/http-auth.ts';
import { nameOfUrl } from '../transport/http/http-errors.ts';
import { REFRESH_MARGIN_MS, REFUSED_AGAIN_MS, STEP_UP_LIMIT } from './auth-limits.ts';
import type { OAuthSettings } from './auth-settings.ts';
import type { CredentialStore } from './credential-store.ts';
import type { Credentials, Tokens } from './credentials.ts';
import { bearerOf } from './discovery.ts';
import { GuardedHttp } from './guarded-http.ts';
import { holdsAll, splitScopes } from './scopes.ts';
import { type Interaction, signIn } from './sign-in.ts';
import { refreshTokens, revokeTokens } from './token-requests.ts';

export interface AuthOptions {
	/** The URL of the server, as configured. */
	readonly url: string;
	/** What the user calls the server, for `mctl auth <name>`. Default: the URL. */
	readonly name?: string | undefined;
	readonly settings?: OAuthSettings | undefined;
	readonly store: CredentialStore;
	/** Undefined: nobody can sign in here; a refusal becomes an error that names `mctl auth`. */
	readonly interactive?: Interaction | undefined;
	/** With the variables of proxies. Default: that of this process. */
	readonly environment?: Readonly<NodeJS.ProcessEnv> | undefined;
	readonly log?: Log | undefined;
	/** Ends every wait. */
	readonly signal?: AbortSignal | undefined;
}

/** Authorization for one server. Holds no resources: there is nothing to close. */
export function openAuth(options: AuthOptions): ServerAuth {
	return new ServerAuth(options);
}

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

	constructor(options: AuthOptions) {
		this.#options = options;
		this.#settings = options.settings ?? {};
		this.#log = options.log ?? Log.silent;
		noteQuery(new URL(options.url));
		const { issuer } = this.#settings;
		const trusted = [options.url, ...(issuer === undefined ? [] : [issuer])];
		this.#http = new GuardedHttp(trusted, options.signal, options.environment);
	}

	/** What is stored for the server and fits the settings. Contains secrets. */
	get credentials(): Credentials | undefined {
		const { store, url } = this.#options;
		const version = store.versionOf(url);
		if (this.#seen === undefined || this.#seen.version !== version)
			this.#seen = { version, credentials: version === undefined ? undefined : store.read(url) };
		const { credentials } = this.#seen;
		return credentials && this.#fits(credentials) ? credentials : undefined;
	}

	/** The token for the next request, refreshed when it is about to expire; undefined when there is none. */
	async token(): Promise<string | undefined> {
		const tokens = this.credentials?.tokens;
		if (tokens === undefined || !isDue(tokens)) return tokens?.accessToken;
		const isValid = !isExpired(tokens);
		if (tokens.refreshToken === undefined) return isValid ? tokens.accessToken : undefined;
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

	/** Get a token that the server may accept. Throws `io` when only a person can. */
	async onUnauthorized({ status, challenges, token }: Unauthorized): Promise<'retry' | 'fail'> {
		const bearer = bearerOf(challenges);
		if (status === 403 || bearer.get('error') === 'insufficient_scope')
			return this.#stepUp(challenges, token);
		const current = await this.token();
		if (current !== undefined && current !== token) return 'retry';
		if (current !== undefined && (await this.#replaceRefused(current))) return 'retry';
		if (this.#options.interactive === undefined) throw this.#signInNeeded();
		await this.signIn(challenges);
		return 'retry';
	}

	/** Sign in, whatever is stored, and store the result. `scopes` are requested in addition. */
	signIn(challenges: readonly Challenge[], held: readonly string[] = []): Promise<void> {
		this.#signingIn ??= this.#signIn(challenges, held).finally(() => {
			this.#signingIn = undefined;
		});
		return this.#signingIn;
	}

	/** Delete what is stored and withdraw the tokens at the authorization server. True when there was something. A failed withdrawal is logged. */
	async signOut(): Promise<boolean> {
		const { store, url } = this.#options;
		const credentials = store.read(url);
		if (credentials === undefined) return false;
		await store.locked(url, async () => store.write(url, undefined));
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
		return this.#options.name ?? nameOfUrl(new URL(this.#options.url));
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
		if (tokens?.refreshToken === undefined) return false;
		const isAgain =
			this.#replacement?.accessToken === refused && Date.now() - this.#replacement.at < REFUSED_AGAIN_MS;
		if (isAgain) return false;
		const fresh = await this.#refresh(tokens.generation);
		if (fresh === undefined || fresh.accessToken === refused) return false;
		this.#replacement = { accessToken: fresh.accessToken, at: Date.now() };
		return true;
	}

	#refresh(generation: string): Promise<Tokens | undefined> {
		const { store, url } = this.#options;
		this.#refreshing ??= store
			.locked(url, () => this.#refreshLocked(generation))
			.finally(() => {
				this.#refreshing = undefined;
			});
		return this.#refreshing;
	}

	/** The tokens after a refresh by this process or another; undefined when the authorization ended. */
	async #refreshLocked(generation: string): Promise<Tokens | undefined> {
		const { store, url } = this.#options;
		const { credentials } = this;
		const tokens = credentials?.tokens;
		if (credentials === undefined || tokens === undefined || tokens.generation !== generation) return tokens;
		if (tokens.refreshToken === undefined) return undefined;
		const resource = this.#settings.sendsResource === false ? undefined : credentials.resource;
		try {
			const fresh = await refreshTokens(
				this.#sender(credentials),
				credentials,
				tokens.refreshToken,
				resource,
			);
			store.write(url, { ...credentials, tokens: fresh });
			return fresh;
		} catch (error) {
			const reason = OrchestraError.is(error) ? error.data['error'] : undefined;
			if (reason !== 'invalid_grant' && reason !== 'invalid_client') throw error;
			return this.#forget(generation, reason === 'invalid_client');
		}
	}

	/** Delete the tokens of one generation, and the registration where it is invalid; a newer record stays. */
	#forget(generation: string, isClientInvalid: boolean): Tokens | undefined {
		const { store, url } = this.#options;
		const credentials = store.read(url);
		if (credentials?.tokens?.generation !== generation) return credentials?.tokens;
		const isKept = !isClientInvalid || credentials.client.kind !== 'registered';
		store.write(url, isKept ? { ...credentials, tokens: undefined } : undefined);
		this.#log.warn(`${this.#name}: the authorization server no longer accepts the stored authorization`);
		return undefined;
	}

	async #stepUp(challenges: readonly Challenge[], refused: string | undefined): Promise<'retry'> {
		const needed = splitScopes(bearerOf(challenges).get('scope'));
		const tokens = this.credentials?.tokens;
		const isNewer = tokens !== undefined && tokens.accessToken !== refused;
		if (isNewer && holdsAll(tokens.scopes, needed)) return 'retry';
		const isUseless = this.#stepUps > 0 && holdsAll(this.#requested, needed);
		if (this.#options.interactive === undefined || isUseless || this.#stepUps >= STEP_UP_LIMIT)
			throw this.#scopeNeeded(needed, isUseless);
		this.#stepUps++;
		const held = [...new Set([...(tokens?.scopes ?? []), ...this.#requested, ...needed])];
		this.#requested = held;
		await this.signIn(challenges, held);
		return 'retry';
	}

	async #signIn(challenges: readonly Challenge[], held: readonly string[]): Promise<void> {
		const { store, url, interactive, signal } = this.#options;
		if (interactive === undefined) throw this.#signInNeeded();
		const shared = { url, settings: this.#settings, challenges, held, http: this.#http, log: this.#log };
		const found = await signIn({ ...shared, stored: store.read(url), interaction: interactive, signal });
		await store.locked(url, async () => store.write(url, found));
		this.#replacement = found.tokens && { accessToken: found.tokens.accessToken, at: Date.now() };
	}

	#sender(credentials: Credentials): {
		http: GuardedHttp;
		client: Credentials['client'];
		secret: string | undefined;
	} {
		const { client } = credentials;
		const secret = client.kind === 'configured' ? this.#settings.clientSecret : client.secret;
		return { http: this.#http, client, secret };
	}

	#signInNeeded(): OrchestraError {
		return new OrchestraError('io', `${this.#name} needs authorization`, {
			hint: `Run: mctl auth ${this.#name}`,
			data: { server: this.#name, status: 401, outcome: 'none' },
		});
	}

	#scopeNeeded(needed: readonly string[], isUseless: boolean): OrchestraError {
		const scopes = printableName(needed.join(' '));
		const missing = scopes === '' ? 'more scopes' : `the scopes "${scopes}"`;
		const still = isUseless ? 'still needs' : 'needs';
		const flag = scopes === '' ? '' : ` --scope "${scopes.replace(/["`$\\]/g, '')}"`;
		return new OrchestraError('io', `${this.#name} ${still} ${missing}`, {
			hint: isUseless
				? 'The authorization server did not grant them; ask its operator for access.'
				: `Run: mctl auth ${this.#name}${flag}`,
			data: { server: this.#name, status: 403, scopes: needed, outcome: 'none' },
		});
	}
}

function isExpired({ expiresAt }: Tokens): boolean {
	return expiresAt !== undefined && Date.now() >= expiresAt;
}

/** Within the last fifth of the life of a short token, or the last minute of a long one. */
function isDue({ obtainedAt, expiresAt }: Tokens): boolean {
	if (expiresAt === undefined) return false;
	const marginMs = Math.min(REFRESH_MARGIN_MS, (expiresAt - obtainedAt) / 5);
	return Date.now() >= expiresAt - marginMs;
}

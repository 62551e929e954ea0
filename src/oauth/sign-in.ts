/*
 * A sign-in: the authorization code flow with PKCE in the browser of the user.
 *
 * Issuer, verifier and state belong together and live only here. The response is
 * checked in this order: `state`, `iss`, then its content; nothing of a response that
 * fails a check is shown, since anyone may have written it.
 */

import * as oauth from 'oauth4webapi';
import { OrchestraError } from '../errors.ts';
import { printableLine } from '../printable.ts';
import { abortable } from '../rpc/abortable.ts';
import { within } from '../rpc/clock.ts';
import { SHOWN_CHARACTERS, SIGN_IN_MS } from './auth-limits.ts';
import { CallbackServer } from './callback-server.ts';
import { chooseClient, secretOf } from './client-identity.ts';
import type { Credentials, OAuthClient } from './credentials.ts';
import { type Discovered, discoverServer, type GrantOptions, grantedCredentials } from './discovery.ts';
import { asksOffline, scopesToRequest } from './scopes.ts';
import { assertPkce, authorizationEndpoint } from './server-metadata.ts';
import { exchangeCode } from './token-requests.ts';

/** How a user takes part in a sign-in. */
export interface Interaction {
	/** Show the page to the user, in a browser or as text. Called once. */
	showPage(url: string): Promise<void>;
	/** Calls `deliver` with redirect URLs that the user pasted; it returns false for a URL of another sign-in. Returns a function that ends it. */
	readonly readPasted?: ((deliver: (url: string) => boolean) => () => void) | undefined;
	/** Milliseconds for the whole sign-in. Default 5 minutes. */
	readonly deadlineMs?: number | undefined;
}

export interface SignInOptions extends GrantOptions {
	readonly stored: Credentials | undefined;
	readonly interaction: Interaction;
	readonly signal?: AbortSignal | undefined;
}

/** Sign in and get the credentials. Nothing is stored here. */
export async function signIn(options: SignInOptions): Promise<Credentials> {
	const { settings, http, stored } = options;
	const discovered = await discoverServer(options);
	const { metadata } = discovered;
	authorizationEndpoint(metadata);
	assertPkce(metadata, settings);
	const scopes = scopesToRequest(options, discovered);
	const isSameIssuer = stored?.issuer === metadata.issuer;
	const callback = await CallbackServer.open({
		host: settings.callbackHost ?? '127.0.0.1',
		port: settings.callbackPort,
		preferredPort: isSameIssuer ? portIn(stored.client.redirectUri) : undefined,
	});
	try {
		const { redirectUri } = callback;
		const client = await chooseClient({ http, settings, metadata, redirectUri, stored, scopes });
		return await runFlow(options, { discovered, client, scopes, callback });
	} finally {
		await callback.close();
	}
}

interface Flow {
	readonly discovered: Discovered;
	readonly client: OAuthClient;
	readonly scopes: readonly string[] | undefined;
	readonly callback: CallbackServer;
}

async function runFlow(options: SignInOptions, flow: Flow): Promise<Credentials> {
	const { settings, http, url } = options;
	const { discovered, client, scopes, callback } = flow;
	const { metadata, resource } = discovered;
	const verifier = oauth.generateRandomCodeVerifier();
	const state = oauth.generateRandomState();
	const sentResource = settings.sendsResource === false ? undefined : resource;
	const page = pageUrl(flow, {
		state,
		code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
		resource: sentResource,
	});
	const received = await awaitResponse(options, callback, { page, state });
	const response = checkedResponse(received, flow, state);
	const { tokens, account } = await exchangeCode(
		{ http, client, secret: secretOf(client, settings) },
		{
			metadata,
			response,
			redirectUri: callback.redirectUri,
			verifier,
			resource: sentResource,
			scopes: scopes ?? [],
		},
	);
	return grantedCredentials(url, discovered, { client, account, tokens });
}

function pageUrl(
	{ discovered, client, scopes, callback }: Flow,
	own: { state: string; code_challenge: string; resource: string | undefined },
): string {
	const page = new URL(authorizationEndpoint(discovered.metadata));
	const parameters = {
		response_type: 'code',
		client_id: client.id,
		redirect_uri: callback.redirectUri,
		code_challenge_method: 'S256',
		scope: scopes?.join(' '),
		prompt: asksOffline(scopes) ? 'consent' : undefined,
		...own,
	};
	for (const [name, value] of Object.entries(parameters))
		if (value !== undefined) page.searchParams.set(name, value);
	return page.href;
}

/** The response from the browser or from the keyboard, whichever is first. */
async function awaitResponse(
	{ interaction, signal }: SignInOptions,
	callback: CallbackServer,
	{ page, state }: { page: string; state: string },
): Promise<URLSearchParams> {
	const hasState = (response: URLSearchParams) => response.get('state') === state;
	const waits = [callback.response(hasState)];
	let endPaste = () => {};
	if (interaction.readPasted) {
		const { readPasted } = interaction;
		waits.push(
			new Promise((resolve) => {
				endPaste = readPasted((text) => {
					const pasted = URL.canParse(text) ? new URL(text).searchParams : undefined;
					if (pasted === undefined || !hasState(pasted)) return false;
					resolve(pasted);
					return true;
				});
			}),
		);
	}
	const deadlineMs = interaction.deadlineMs ?? SIGN_IN_MS;
	try {
		await interaction.showPage(page);
		const first = (): Promise<URLSearchParams> => Promise.race(waits);
		const response = await within(signal ? abortable(first, signal) : first(), deadlineMs);
		if (response !== undefined) return response;
	} finally {
		endPaste();
	}
	throw new OrchestraError('timeout', `nobody signed in within ${deadlineMs / 1000} s`, {
		hint: 'Run mctl auth again. On a machine without a browser, open the printed URL elsewhere and paste the address that it ends at.',
	});
}

function checkedResponse(
	received: URLSearchParams,
	{ discovered, client }: Flow,
	state: string,
): URLSearchParams {
	const { metadata } = discovered;
	try {
		return oauth.validateAuthResponse(metadata, { client_id: client.id }, received, state);
	} catch (thrown) {
		if (thrown instanceof oauth.AuthorizationResponseError) {
			const { error, error_description: text } = thrown;
			const reason = printableLine((text ? `${error} (${text})` : error).slice(0, SHOWN_CHARACTERS));
			throw new OrchestraError('rpc', `${metadata.issuer} did not grant access: ${reason}`, {
				hint:
					error === 'access_denied'
						? 'Run mctl auth again to grant it.'
						: 'Check the `oauth` settings of the server.',
				data: { issuer: metadata.issuer, error },
			});
		}
		throw new OrchestraError('bad_input', `the response is not from ${metadata.issuer}, or not valid`, {
			hint: 'Nothing was stored. If it happens again, another server interferes with the sign-in.',
			data: { issuer: metadata.issuer },
		});
	}
}

function portIn(redirectUri: string): number | undefined {
	const port = URL.canParse(redirectUri) ? Number(new URL(redirectUri).port) : 0;
	return port === 0 ? undefined : port;
}

/*
 * Which client id to use: that of the configuration, else the URL of a client metadata
 * document, else a dynamic registration. Registrations belong to one issuer and one
 * redirect URI and are never used with another.
 */
import { OrchestraError } from '../errors.ts';
import { printableName } from '../printable.ts';
import type { OAuthSettings } from './auth-settings.ts';
import {
	type ClientAuthMethod,
	type Credentials,
	clientAuthMethods,
	type OAuthClient,
} from './credentials.ts';
import type { GuardedHttp } from './guarded-http.ts';
import type { ServerMetadata } from './server-metadata.ts';
import { registerClient } from './token-requests.ts';

const CLIENT_NAME = 'Orchestra';

export interface ClientChoice {
	readonly http: GuardedHttp;
	readonly settings: OAuthSettings;
	readonly metadata: ServerMetadata;
	readonly redirectUri: string;
	/** The record on disk, whose registration is used again where it fits. */
	readonly stored: Credentials | undefined;
	/** Scopes that will be requested; part of a registration. */
	readonly scopes: readonly string[] | undefined;
}

/** The client of a sign-in, registered if necessary. Throws `bad_input` when there is no way to get one. */
export async function chooseClient(choice: ClientChoice): Promise<OAuthClient> {
	const { settings, metadata, redirectUri, stored } = choice;
	if (settings.clientId !== undefined) {
		const authMethod = methodFor(metadata, settings.clientSecret !== undefined);
		return { id: settings.clientId, secret: undefined, authMethod, redirectUri, kind: 'configured' };
	}
	const document = settings.clientMetadataUrl;
	if (document !== undefined && metadata.client_id_metadata_document_supported)
		return { id: document, secret: undefined, authMethod: 'none', redirectUri, kind: 'document' };
	const reused = reusable(stored, metadata, redirectUri);
	if (reused !== undefined) return reused;
	if (metadata.registration_endpoint !== undefined) return register(choice);
	throw new OrchestraError(
		'bad_input',
		`the authorization server ${printableName(metadata.issuer)} registers no clients by itself`,
		{
			hint: 'Register one with it by hand (redirect URI http://127.0.0.1:8765/callback), then set `oauth.clientId`, `oauth.callbackPort` and, if it has one, `oauth.clientSecret` of the server.',
			data: { issuer: metadata.issuer },
		},
	);
}

function reusable(
	stored: Credentials | undefined,
	metadata: ServerMetadata,
	redirectUri: string,
): OAuthClient | undefined {
	const isOfIssuer = stored?.issuer === metadata.issuer && stored.client.kind === 'registered';
	return isOfIssuer && stored.client.redirectUri === redirectUri ? stored.client : undefined;
}

async function register({ http, metadata, redirectUri, scopes }: ClientChoice): Promise<OAuthClient> {
	const supported = metadata.token_endpoint_auth_methods_supported;
	const isPublic = supported === undefined || supported.includes('none');
	const answer = await registerClient(http, metadata, {
		client_name: CLIENT_NAME,
		redirect_uris: [redirectUri],
		grant_types: ['authorization_code', 'refresh_token'],
		response_types: ['code'],
		application_type: 'native',
		token_endpoint_auth_method: isPublic ? 'none' : methodFor(metadata, true),
		...(scopes !== undefined && { scope: scopes.join(' ') }),
	});
	const secret = typeof answer['client_secret'] === 'string' ? answer['client_secret'] : undefined;
	const given = clientAuthMethods.find((method) => method === answer['token_endpoint_auth_method']);
	return {
		id: String(answer['client_id']),
		secret,
		authMethod: given ?? methodFor(metadata, secret !== undefined),
		redirectUri,
		kind: 'registered',
	};
}

function methodFor(metadata: ServerMetadata, hasSecret: boolean): ClientAuthMethod {
	return hasSecret ? secretMethod(metadata) : 'none';
}

/** How a secret is sent: in the header, unless the server wants it in the body only. */
export function secretMethod(metadata: ServerMetadata | undefined): ClientAuthMethod {
	const methods = metadata?.token_endpoint_auth_methods_supported ?? [];
	const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
	return isPost ? 'client_secret_post' : 'client_secret_basic';
}

/** The secret of a client: that of the configuration is never stored. */
export function secretOf(client: OAuthClient, settings: OAuthSettings): string | undefined {
	return client.kind === 'configured' ? settings.clientSecret : client.secret;
}

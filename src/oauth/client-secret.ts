/* The client secret of a remote server, when the configuration has it as a secret reference. */
import { resolveSecret } from '../secrets/resolve-secret.ts';
import type { OAuthSettings } from './auth-settings.ts';

/** The settings with their client secret resolved. Throws `bad_input` when it cannot be. */
export async function withClientSecret(
	settings: OAuthSettings,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<OAuthSettings> {
	const { clientSecretText, ...rest } = settings;
	if (clientSecretText === undefined) return settings;
	return { ...rest, clientSecret: await resolveSecret(clientSecretText, { environment }) };
}

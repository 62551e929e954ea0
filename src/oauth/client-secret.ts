/* The secrets of a remote server's sign-in, where the configuration has them as secret references. */
import { resolveSecrets } from '../secrets/resolve-secret.ts';
import type { OAuthSettings } from './auth-settings.ts';

/** The settings with their references resolved. Throws `bad_input` for one that cannot be. */
export async function withResolvedSecrets(
	settings: OAuthSettings,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<OAuthSettings> {
	const { identityProvider: provider, secrets } = settings;
	const own = await resolveSecrets({}, secrets, { environment });
	const identityProvider = provider && {
		...provider,
		...(await resolveSecrets({}, provider.secrets, { environment })),
	};
	return { ...settings, ...own, ...(identityProvider && { identityProvider }) };
}

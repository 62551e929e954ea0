/* `mctl auth`: sign in to a remote MCP server, out of it, or show what is stored. Never shows a secret. */
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { withClientSecret } from '../../oauth/client-secret.ts';
import { CredentialStore } from '../../oauth/credential-store.ts';
import { GuardedHttp } from '../../oauth/guarded-http.ts';
import { openAuth, type ServerAuth } from '../../oauth/open-auth.ts';
import { probeServer } from '../../oauth/probe-server.ts';
import { findProtectedResource } from '../../oauth/resource-metadata.ts';
import { splitScopes } from '../../oauth/scopes.ts';
import { tokenState } from '../../oauth/stored-sign-in.ts';
import { printable } from '../../printable.ts';
import { resolveSecrets } from '../../secrets/resolve-secret.ts';
import type { AuthTarget } from '../auth-target.ts';
import { findAuthTarget } from '../auth-target.ts';
import { refuseHeldBack } from '../call-target.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { terminalSignIn } from '../terminal-sign-in.ts';

export const auth: Command = {
	usage: 'mctl auth <server|url> [--status|--logout] [--scope "A B"] [--json]',
	examples: ['mctl auth github', 'mctl auth https://example.com/mcp --status', 'mctl auth github --logout'],
	flags: {
		status: { type: 'boolean', help: 'show what is stored, without a request' },
		logout: { type: 'boolean', help: 'withdraw and delete what is stored' },
		scope: { type: 'string', value: '"A B"', help: 'request these scopes in addition' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		const { words, flags, out, environment, signal } = input;
		const [word, ...rest] = words;
		if (word === undefined) throw usageError(auth, 'mctl auth needs a server or a URL');
		if (rest.length > 0) throw usageError(auth, `mctl auth takes one server, not ${words.length}`);
		if (flags['status'] && flags['logout']) throw usageError(auth, 'use --status or --logout, not both');
		const { configuration, problems, heldBack } = loadConfiguration({ cwd: process.cwd(), environment });
		for (const problem of problems) out.note(`mctl: ${printable(problem.message)}`);
		if (configuration.mcpServers.every(({ name }) => name !== word)) refuseHeldBack(word, heldBack);
		const target = await withSecrets(findAuthTarget(configuration, word), environment);
		const log = Log.fromEnvironment('auth', environment, (line) => out.note(line.trimEnd()));
		const store = CredentialStore.ofUser(environment, log);
		const interactive = flags['status'] ? undefined : terminalSignIn(out, environment);
		const { name, url, settings } = target;
		const server = openAuth({ url, name, settings, store, interactive, environment, log, signal });
		if (flags['logout']) return logOut(input, target, server);
		if (flags['status']) return showStatus(input, target, server);
		await logIn(input, target, server);
	},
};

async function withSecrets(
	target: AuthTarget,
	environment: CommandInput['environment'],
): Promise<AuthTarget> {
	const headers = await resolveSecrets(target.headers, target.secrets, { environment });
	return { ...target, headers, settings: await withClientSecret(target.settings, environment) };
}

async function logIn(input: CommandInput, target: AuthTarget, server: ServerAuth): Promise<void> {
	const { flags, out, environment, signal } = input;
	const { name, url, headers, settings } = target;
	const log = Log.fromEnvironment('auth', environment, (line) => out.note(line.trimEnd()));
	const trusted = [url, ...(settings.issuer === undefined ? [] : [settings.issuer])];
	const http = new GuardedHttp(trusted, signal, environment);
	const { status, challenges } = await probeServer(http, url, headers);
	const isRefused = status === 401 || status === 403;
	if (!isRefused && (await findProtectedResource(http, url, { named: undefined, log })) === undefined)
		return notNeeded(input, target, status);
	const added = typeof flags['scope'] === 'string' ? splitScopes(flags['scope']) : [];
	const held = added.length === 0 ? [] : [...(server.credentials?.tokens?.scopes ?? []), ...added];
	await server.signIn(challenges, held);
	const token = await server.token();
	const after = await probeServer(http, url, { ...headers, authorization: `Bearer ${token}` });
	if (after.status === 401) {
		throw new OrchestraError('rpc', `${name} refuses the token that it asked for`, {
			hint: 'The sign-in worked, so the account or the `oauth` settings of the server may be wrong.',
			data: { server: name, url: target.shownUrl },
		});
	}
	report(input, target, server);
}

function notNeeded({ flags, out }: CommandInput, { name, shownUrl: url }: AuthTarget, status: number): void {
	if (status >= 500 || status === 404) {
		throw new OrchestraError(
			'rpc',
			`${name} answers with status ${status} and names no authorization server`,
			{
				hint: 'Check the URL.',
				data: { server: name, url, status },
			},
		);
	}
	if (flags['json']) return out.json({ schema: 'orchestra.auth/1', server: name, url, state: 'not_needed' });
	out.line(`${name} asks for no authorization.`);
}

async function logOut(
	{ flags, out }: CommandInput,
	{ name, shownUrl: url }: AuthTarget,
	server: ServerAuth,
): Promise<void> {
	const wasSignedIn = await server.signOut();
	if (flags['json']) out.json({ schema: 'orchestra.auth/1', server: name, url, state: 'none', wasSignedIn });
	else out.line(wasSignedIn ? `Signed out of ${name}.` : `You were not signed in to ${name}.`);
}

function showStatus(input: CommandInput, target: AuthTarget, server: ServerAuth): void {
	const { name, shownUrl: url } = target;
	if (server.credentials?.tokens !== undefined) return report(input, target, server);
	if (input.flags['json']) input.out.json({ schema: 'orchestra.auth/1', server: name, url, state: 'none' });
	throw new OrchestraError('not_found', `you are not signed in to ${name}`, {
		hint: `Run: mctl auth ${name}`,
	});
}

/** Who, what, until when. */
function report({ flags, out }: CommandInput, { name, shownUrl: url }: AuthTarget, server: ServerAuth): void {
	const { issuer, client, account, tokens } = server.credentials ?? {};
	const expiresAt = tokens?.expiresAt === undefined ? undefined : new Date(tokens.expiresAt).toISOString();
	const isExpired = tokens?.expiresAt !== undefined && tokens.expiresAt <= Date.now();
	const canRefresh = tokens?.refreshToken !== undefined;
	const state = tokenState(tokens);
	const scopes = tokens?.scopes ?? [];
	if (flags['json']) {
		const facts = {
			issuer,
			clientId: client?.id,
			clientKind: client?.kind,
			redirectUri: client?.redirectUri,
		};
		return out.json({
			schema: 'orchestra.auth/1',
			server: name,
			url,
			state,
			...facts,
			account,
			scopes,
			expiresAt,
			canRefresh,
		});
	}
	const until = expiresAt === undefined ? 'no end is known' : `${isExpired ? 'ended' : 'until'} ${expiresAt}`;
	out.line(printable(`Signed in to ${name}${account === undefined ? '' : ` as ${account}`}.`));
	out.line(printable(`  issuer  ${issuer}`));
	out.line(printable(`  client  ${client?.id} (${client?.kind})`));
	out.line(printable(`  scopes  ${scopes.length === 0 ? "the server's default" : scopes.join(' ')}`));
	out.line(`  valid   ${until}${canRefresh ? ', refreshed by itself' : ''}`);
}

/* `mctl auth`: sign in to a remote MCP server, out of it, or show what is stored. Never shows a secret. */
import { loadConfiguration } from '../../config/load.ts';
import { otherEntries } from '../../config/same-url.ts';
import { OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { ACCOUNT_KEY_FORM, type Account, accountOf, isAccountKey } from '../../oauth/account.ts';
import { withResolvedSecrets } from '../../oauth/client-secret.ts';
import { CredentialStore } from '../../oauth/credential-store.ts';
import { GuardedHttp } from '../../oauth/guarded-http.ts';
import { notAdopted, ServerAuth } from '../../oauth/open-auth.ts';
import { probeServer } from '../../oauth/probe-server.ts';
import { findProtectedResource } from '../../oauth/resource-metadata.ts';
import { splitScopes } from '../../oauth/scopes.ts';
import { tokenState } from '../../oauth/sign-in-state.ts';
import { printable, printableLine } from '../../printable.ts';
import { resolveSecrets } from '../../secrets/resolve-secret.ts';
import { type Command, type CommandInput, checkArgs, jsonFlag, textFlag, usageError } from '../command.ts';
import { forgetFailures } from '../learn/learn.ts';
import { refuseUnused } from '../problem-lines.ts';
import { readTargetName, refuseBlocked } from '../target/target-name.ts';
import { accountChoices, chooseAccount, listAccounts, writeAccount } from './auth-accounts.ts';
import { type AuthTarget, authTarget } from './auth-target.ts';
import { terminalSignIn } from './terminal-sign-in.ts';

export const auth: Command = {
	usage: 'mctl auth <server|url> [--status|--logout|--adopt] [--account NAME] [--scope "A B"] | --list',
	examples: [
		'mctl auth github',
		'mctl auth github --account work   # share one sign-in between entries',
		'mctl auth --list                  # who is signed in where',
		'mctl auth github --logout',
		'mctl auth cursor:github           # a server of a client, as it is',
	],
	flags: {
		list: { help: 'show every stored sign-in and the entries that use it' },
		status: { help: 'show what is stored, without a request' },
		logout: { help: 'withdraw and delete what is stored' },
		account: { value: 'NAME', help: 'use this account, and write it into the entry' },
		adopt: { help: 'take over what an earlier version stored for the URL' },
		scope: { value: '"A B"', help: 'request these scopes in addition' },
		json: jsonFlag,
	},
	args: [0, 1, 'one server or URL'],

	async run(input) {
		const { args, flags, cwd, environment } = input;
		const [arg] = args;
		if (flags['list']) {
			checkArgs(args, { usage: 'mctl auth --list [--json]' });
			return listAccounts(input);
		}
		if (arg === undefined) throw usageError(auth, 'mctl auth needs a server or a URL');
		if (['status', 'logout', 'adopt'].filter((flag) => flags[flag]).length > 1)
			throw usageError(auth, 'use --status, --logout or --adopt, one of them');
		const key = accountFlag(input);
		const { configuration, problems, blocked } = loadConfiguration({ cwd, environment });
		refuseUnused(arg, problems, configuration.mcpServers);
		const { mcpServers: entries } = configuration;
		// A user who means a blocked server must not sign in to another one whose name it begins with.
		if (entries.every(({ name: known }) => known !== arg)) refuseBlocked(arg, blocked);
		const name = await readTargetName(arg, { entries }, { cwd, environment });
		if (name.form === 'client' && key !== undefined)
			throw usageError(
				auth,
				'--account is of servers in the configuration: import the server with mctl init',
			);
		const named = authTarget(name, { arg, account: key, entries, blocked });
		const found = await withSecrets(named, environment);
		const target = key === undefined ? found : withAccount(found, key);
		if (flags['logout']) return logOut(input, target, openTarget(input, target));
		if (flags['status']) return showStatus(input, target, openTarget(input, target));
		if (flags['adopt']) await adopt(input, target);
		else if (key !== undefined) await useAccount(input, target, key);
		else await signInOrShare(input, target);
		if (target.entry) forgetFailures([target.entry], environment);
	},
};

function accountFlag(input: CommandInput): string | undefined {
	const account = textFlag(input, 'account');
	if (account === undefined || isAccountKey(account)) return account;
	throw usageError(auth, `--account is "${printableLine(account)}"; allowed: ${ACCOUNT_KEY_FORM}`);
}

function withAccount(target: AuthTarget, account: string): AuthTarget {
	return { ...target, settings: { ...target.settings, account } };
}

function openTarget(input: CommandInput, target: AuthTarget): ServerAuth {
	const { flags, environment, signal } = input;
	const { name, settings, entry } = target;
	const log = logOf(input);
	const store = CredentialStore.ofUser(environment, log);
	const interactive = flags['status'] ? undefined : terminalSignIn(input);
	const others = entry && { otherEntries: () => otherEntries(entry, environment) };
	return new ServerAuth({
		account: accountOfTarget(target),
		name,
		settings,
		store,
		interactive,
		environment,
		log,
		signal,
		...others,
	});
}

function logOf({ out, environment }: CommandInput): Log {
	return Log.fromEnvironment('auth', environment, (line) => out.info(line.trimEnd()));
}

function storeOf({ environment }: CommandInput): CredentialStore {
	return CredentialStore.ofUser(environment, Log.silent);
}

function accountOfTarget({ url, settings, entry }: AuthTarget): Account {
	return accountOf({ url, name: entry?.name, file: entry?.file, oauth: settings });
}

/** A server without a sign-in may share one that is stored for its URL. */
async function signInOrShare(input: CommandInput, target: AuthTarget): Promise<void> {
	const server = openTarget(input, target);
	await server.adoptEarlier();
	const isFirst = target.entry !== undefined && server.credentials?.tokens === undefined;
	const chosen = isFirst
		? await chooseAccount(accountChoices(target, storeOf(input)), target, input)
		: undefined;
	if (chosen === undefined) return logIn(input, target, server);
	if (chosen.key === undefined) return adopt(input, target);
	await useAccount(input, withAccount(target, chosen.key), chosen.key);
}

/** Use the account, after a sign-in where it has none, and write it into the entry. */
async function useAccount(input: CommandInput, target: AuthTarget, key: string): Promise<void> {
	const server = openTarget(input, target);
	const stored = storeOf(input).read(accountOfTarget(target));
	if (stored?.tokens !== undefined && server.credentials === undefined)
		throw new OrchestraError('bad_input', `the account ${key} was signed in with another client or issuer`, {
			hint: 'Choose another name, or give both entries the same `oauth` settings.',
		});
	const isKnown = !['none', 'expired'].includes(tokenState(server.credentials?.tokens));
	if (!isKnown || input.flags['scope'] !== undefined || target.entry === undefined)
		await logIn(input, target, server);
	else report(input, target, server);
	if (server.credentials?.tokens !== undefined) await writeAccount(target, key, input);
}

/** Take over what an earlier version stored for the URL. */
async function adopt(input: CommandInput, target: AuthTarget): Promise<void> {
	const { name, shownUrl: url } = target;
	if (!(await storeOf(input).adoptEarlier(accountOfTarget(target))))
		throw new OrchestraError(
			'not_found',
			`there is no sign-in of an earlier version for ${name} to take over`,
			{
				hint: 'mctl auth --list shows what is stored.',
				data: { server: name, url },
			},
		);
	report(input, target, openTarget(input, target));
}

async function withSecrets(
	target: AuthTarget,
	environment: CommandInput['environment'],
): Promise<AuthTarget> {
	const headers = await resolveSecrets(target.headers, target.secrets, { environment });
	return { ...target, headers, settings: await withResolvedSecrets(target.settings, environment) };
}

async function logIn(input: CommandInput, target: AuthTarget, server: ServerAuth): Promise<void> {
	const { environment, signal } = input;
	const { name, url, headers, settings } = target;
	const trusted = [url, ...(settings.issuer === undefined ? [] : [settings.issuer])];
	const http = new GuardedHttp(trusted, signal, environment);
	const { status, challenges } = await probeServer(http, url, headers);
	const isRefused = status === 401 || status === 403;
	if (
		!isRefused &&
		(await findProtectedResource(http, url, { named: undefined, log: logOf(input) })) === undefined
	)
		return notNeeded(input, target, status);
	const added = splitScopes(textFlag(input, 'scope') ?? '');
	const granted = added.length === 0 ? [] : [...(server.credentials?.tokens?.scopes ?? []), ...added];
	await server.signIn(challenges, granted);
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

async function showStatus(input: CommandInput, target: AuthTarget, server: ServerAuth): Promise<void> {
	const { name, shownUrl: url, entry } = target;
	await server.adoptEarlier();
	if (server.credentials?.tokens !== undefined) return report(input, target, server);
	if (input.flags['json']) input.out.json({ schema: 'orchestra.auth/1', server: name, url, state: 'none' });
	const { grant = 'browser' } = target.settings;
	if (grant !== 'browser') {
		throw new OrchestraError('not_found', `there is no token for ${name} yet: the next call gets one`, {
			hint: `Try it now: mctl auth ${name}`,
		});
	}
	const isEarlier = storeOf(input).readEarlier(target.url) !== undefined;
	const reason = isEarlier ? `; ${notAdopted(entry ? otherEntries(entry, input.environment) : [])}` : '';
	throw new OrchestraError('not_found', `you are not signed in to ${name}${reason}`, {
		hint: `Run: mctl auth ${name}${isEarlier ? ', or with --adopt to take it over' : ''}`,
	});
}

/** Print the account, its scopes and when the token expires. */
function report({ flags, out }: CommandInput, target: AuthTarget, server: ServerAuth): void {
	const { name, shownUrl: url } = target;
	const { issuer, client, account, tokens } = server.credentials ?? {};
	const expiresAt = tokens?.expiresAt === undefined ? undefined : new Date(tokens.expiresAt).toISOString();
	const isExpired = tokens?.expiresAt !== undefined && tokens.expiresAt <= Date.now();
	const canRefresh = tokens?.refreshToken !== undefined;
	const state = tokenState(tokens);
	const scopes = tokens?.scopes ?? [];
	if (flags['json']) {
		const { id: clientId, kind: clientKind, redirectUri } = client ?? {};
		const { key } = accountOfTarget(target);
		const who = { server: name, url, key, state, issuer, clientId, clientKind, redirectUri, account };
		return out.json({ schema: 'orchestra.auth/1', ...who, scopes, expiresAt, canRefresh });
	}
	const until = expiresAt === undefined ? 'no end is known' : `${isExpired ? 'ended' : 'until'} ${expiresAt}`;
	out.line(printable(`Signed in to ${name}${account === undefined ? '' : ` as ${account}`}.`));
	out.line(printable(`  issuer  ${issuer}`));
	out.line(printable(`  client  ${client?.id} (${client?.kind})`));
	out.line(printable(`  scopes  ${scopes.length === 0 ? "the server's default" : scopes.join(' ')}`));
	out.line(`  valid   ${until}${canRefresh ? ', refreshed by itself' : ''}`);
}

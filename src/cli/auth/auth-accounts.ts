/* The accounts behind `mctl auth`: which are stored, which one an entry may share, and the key in its entry. */
import { serverFiles } from '../../config/edit/editable-files.ts';
import { setJsonKey } from '../../config/edit/json-edit.ts';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { accountOf, describeEntry, type EntryPlace } from '../../oauth/account.ts';
import { CredentialStore } from '../../oauth/credential-store.ts';
import type { Credentials } from '../../oauth/credentials.ts';
import { ServerAuth } from '../../oauth/open-auth.ts';
import { tokenState } from '../../oauth/sign-in-state.ts';
import { printable, printableLine } from '../../printable.ts';
import { publicUrl } from '../../transport/http/http-errors.ts';
import { type CommandInput, canAskUser } from '../command.ts';
import { writeEdit } from '../edit/edit-servers.ts';
import { askLine } from '../terminal/ask-line.ts';
import { printTable } from '../terminal/table.ts';
import type { AuthTarget } from './auth-target.ts';

/** `mctl auth --list`: who is signed in where. */
export function listAccounts({ flags, out, cwd, environment }: CommandInput): void {
	const { mcpServers } = loadConfiguration({ cwd, environment }).configuration;
	const users = mcpServers.flatMap((entry) => (entry.kind === 'stdio' ? [] : [accountOf(entry)]));
	const accounts = CredentialStore.ofUser(environment, Log.silent)
		.list()
		.map(({ url, key, account: user, issuer, entry, tokens }) => {
			const here = users.filter((each) => each.url === url && each.key === key);
			const entries = new Map<string, EntryPlace>();
			for (const place of [entry, ...here.map((each) => each.entry)])
				if (place) entries.set(describeEntry(place), place);
			const { expiresAt: endsAt } = tokens ?? {};
			const expiresAt = endsAt === undefined ? null : new Date(endsAt).toISOString();
			const shown = { url: publicUrl(new URL(url)), account: key ?? null, user: user ?? null, issuer };
			return { ...shown, state: tokenState(tokens), expiresAt, entries: [...entries.values()] };
		});
	if (flags['json']) return out.json({ schema: 'orchestra.accounts/1', accounts });
	if (accounts.length === 0) return out.line('You are signed in to no server. mctl auth <server> signs in.');
	printTable(out, accounts, undefined, {
		URL: 'url',
		ACCOUNT: ({ account }) => account ?? '(earlier version)',
		USER: 'user',
		STATE: ({ state }) => state.replace('_', ' '),
		ENTRIES: ({ account, entries }) =>
			account === null ? 'none; mctl auth <server> --adopt' : entries.map(describeEntry).join(', ') || null,
	});
}

/** An account that a server without a sign-in may share; `adopt` for the record of an earlier version. */
export interface AccountChoice {
	readonly key: string | undefined;
	readonly text: string;
}

/** The sign-ins that are stored for the URL of the server and fit its settings. */
export function accountChoices({ url, name, settings }: AuthTarget, store: CredentialStore): AccountChoice[] {
	const isUsable = ({ key = '' }: Credentials): boolean =>
		new ServerAuth({ account: { url, key }, name, settings, store }).credentials?.tokens !== undefined;
	const shared = store.list().filter((each) => each.url === url && each.key !== undefined && isUsable(each));
	const choices = shared.map(({ key, account: user, entry }) => {
		const by = entry === undefined ? '' : `, of ${describeEntry(entry)}`;
		return { key, text: `${key}${user === undefined ? '' : ` (${user})`}${by}` };
	});
	const isEarlier = store.readEarlier(url) !== undefined;
	return isEarlier
		? [...choices, { key: undefined, text: 'the sign-in that an earlier version stored' }]
		: choices;
}

/** Ask on a terminal which one to use; elsewhere say how to choose one. Undefined: sign in anew. */
export async function chooseAccount(
	choices: readonly AccountChoice[],
	{ name, shownUrl }: AuthTarget,
	input: CommandInput,
): Promise<AccountChoice | undefined> {
	const { out } = input;
	if (choices.length === 0) return undefined;
	if (!canAskUser(input)) {
		for (const { key, text } of choices) {
			const flag = key === undefined ? '--adopt' : `--account ${key}`;
			out.info(`note: to use ${printableLine(text)}: mctl auth ${name} ${flag}`);
		}
		return undefined;
	}
	out.info(`There is a sign-in to ${printableLine(shownUrl)} already:`);
	for (const [at, { text }] of choices.entries()) out.info(`  ${at + 1}  ${printableLine(text)}`);
	const read = (line: string): AccountChoice | 'new' | 'wrong' =>
		line === '' || /^n(?:ew)?$/i.test(line) ? 'new' : (choices[Number(line) - 1] ?? 'wrong');
	const help = `Type a number from 1 to ${choices.length}, or n.`;
	const prompt = 'Use which? A number, or n for a new sign-in [n]: ';
	const chosen = await askLine({ prompt, help, read }, input);
	return chosen === 'new' ? undefined : chosen;
}

/** Write `oauth.account` into the entry, unless it has it. */
export async function writeAccount(target: AuthTarget, key: string, input: CommandInput): Promise<void> {
	const { entry } = target;
	if (entry === undefined || entry.oauth?.account === key) return;
	const { file, name } = entry;
	const files = (['project', 'user'] as const).flatMap((scope) =>
		serverFiles(scope, input.cwd, input.environment),
	);
	const found = files.find(({ path, servers }) => path === file && Object.hasOwn(servers, name));
	if (found === undefined)
		throw new OrchestraError('bad_input', `the entry of "${name}" in ${file} cannot be edited here`, {
			hint: `Write it there by hand: "oauth": { "account": "${key}" }`,
		});
	await writeEdit(input, found, setJsonKey(found.text, ['mcpServers', name, 'oauth', 'account'], key));
	input.out.info(printable(`${name} in ${file} now uses the account ${key}.`));
}

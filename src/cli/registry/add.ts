/* `mctl add`: a server entry, written into the configuration as a user would. */
import { dirname, relative, resolve } from 'node:path';
import { looksLikeSecret } from '../../config/clients/plain-secrets.ts';
import { type ServerFile, serverFiles } from '../../config/edit/editable-files.ts';
import { isSelfCommand } from '../../config/self-entry.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { editFlags, reportEdit, scopeOf, withEntry, writeEdit } from '../edit/edit-servers.ts';
import { learnHere } from '../learn/learn.ts';
import { addBundle, isBundle } from './add-bundle.ts';
import { addFromRegistry, isListedName } from './add-from-registry.ts';
import { setFlag } from './entry-values.ts';
import { registryFlag } from './registry-flag.ts';

const transports = ['stdio', 'http', 'sse', 'ws'];

export const add: Command = {
	usage: 'mctl add <name> [flags] -- <command…>  |  mctl add <name> <url>  |  mctl add <listed>',
	examples: [
		'mctl add filesystem --set folder=. --yes',
		'mctl add ./notes.mcpb --dry-run',
		'mctl add files -- npx -y @modelcontextprotocol/server-filesystem .',
		"mctl add github -e 'GITHUB_TOKEN=${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github",
		"mctl add docs https://mcp.example.com/mcp -H 'Authorization: Bearer ${TOKEN}'",
	],
	flags: {
		env: { short: 'e', value: 'KEY=VALUE', repeats: true, help: 'a variable; may be repeated' },
		header: {
			short: 'H',
			value: 'HEADER',
			repeats: true,
			help: "a header as 'Name: value'; may be repeated",
		},
		transport: { short: 't', value: 'KIND', help: `${transports.join(', ')} (default: by the arguments)` },
		set: setFlag,
		as: { value: 'NAME', help: 'the name here of a server that a registry lists' },
		registry: registryFlag,
		sha256: { value: 'HASH', help: 'the hash that a bundle must have' },
		remote: { help: 'its address in place of its package' },
		yes: { short: 'y', help: 'add a listed server without the prompt' },
		'dry-run': { help: 'show what would run and be written' },
		...editFlags,
	},
	args: [1, Number.POSITIVE_INFINITY, 'a name, and a command or a URL'],

	async run(input) {
		const [name = '', ...args] = input.args;
		if (args.length === 0 && isBundle(name)) return addBundle(name, input, add);
		if (args.length === 0 && isListedName(name)) return addFromRegistry(name, input, add);
		if (!/^[\w.-]{1,64}$/.test(name)) {
			throw usageError(add, `"${name}" is not a name: use letters, digits, -, _ and .`);
		}
		const entry = entryOf(name, args, input);
		const [file] = serverFiles(scopeOf(input, add) ?? 'project', input.cwd, input.environment);
		if (file === undefined) throw usageError(add, 'there is no file for this scope');
		await writeEdit(input, file, withEntry(name, seenFrom(file, entry, input)));
		registerSecrets(input);
		reportEdit(input, { name, file, change: 'added', wasChanged: true }, [
			`${input.out.style('green', '+')} ${name} in ${file.path}`,
			'\nNext: mctl list servers --check',
		]);
		await learnHere(input, (entry) => entry.name === name);
	},
};

function entryOf(name: string, args: readonly string[], input: CommandInput): Record<string, unknown> {
	const [first, ...rest] = args;
	const { transport } = input.flags;
	if (first === undefined)
		throw usageError(
			add,
			`mctl add ${name} needs a command after --, or a URL; mctl search ${name} looks for it`,
		);
	if (transport !== undefined && !transports.includes(String(transport))) {
		throw usageError(add, `--transport takes ${transports.join(', ')}, not "${String(transport)}"`);
	}
	const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(first);
	if (transport === undefined ? isUrl : transport !== 'stdio') return remoteEntry(first, rest, input);
	if (isUrl) throw usageError(add, `${first} is a URL; --transport stdio takes a command`);
	const headers = input.lists?.get('header') ?? [];
	if (headers.length > 0) throw usageError(add, '--header is for a URL; a command takes --env');
	if (isSelfCommand({ command: first, args: [...rest] })) {
		throw usageError(
			add,
			`"${args.join(' ')}" is this program itself, so it is not added to its own configuration`,
		);
	}
	const env = pairsOf(input.lists?.get('env') ?? [], '=');
	return { command: first, ...(rest.length > 0 ? { args: rest } : {}), ...(env && { env }) };
}

/** A relative program is meant from here; in a file it counts from the folder of that file. */
function seenFrom(
	{ path, scope }: ServerFile,
	entry: Record<string, unknown>,
	{ cwd }: CommandInput,
): Record<string, unknown> {
	const { command } = entry;
	if (typeof command !== 'string' || !/^\.{1,2}[/\\]/.test(command)) return entry;
	if (scope === 'user') return { ...entry, command: resolve(cwd, command) };
	const inside = relative(dirname(path), resolve(cwd, command));
	return { ...entry, command: inside.startsWith('..') ? inside : `./${inside}` };
}

function remoteEntry(
	url: string,
	rest: readonly string[],
	{ flags, lists }: CommandInput,
): Record<string, unknown> {
	const isSocket = /^wss?:/i.test(url);
	if (!URL.canParse(url) || !/^(?:https?:|wss?:|unix:\/\/\/)/i.test(url))
		throw usageError(add, `"${url}" is not an http://, https://, ws://, wss:// or unix:/// address`);
	const { transport } = flags;
	if (transport !== undefined && isSocket !== (transport === 'ws'))
		throw usageError(add, `--transport ${String(transport)} is not for ${url}`);
	if (rest.length > 0) throw usageError(add, `unexpected argument "${rest[0]}" after the URL`);
	if (lists?.has('env')) throw usageError(add, '--env is for a command; a URL takes --header');
	const headers = pairsOf(lists?.get('header') ?? [], ':');
	const type = isSocket ? 'ws' : transport === 'sse' ? 'sse' : 'http';
	return { type, url, ...(headers && { headers }) };
}

/** `KEY=VALUE` or `Name: value`; undefined when there are none. */
function pairsOf(strings: readonly string[], separator: '=' | ':'): Record<string, string> | undefined {
	if (strings.length === 0) return undefined;
	return Object.fromEntries(
		strings.map((text): [string, string] => {
			const at = text.indexOf(separator);
			const key = text.slice(0, Math.max(0, at)).trim();
			const isKey = separator === '=' ? /^[A-Za-z_]\w*$/.test(key) : /^[\w!#$%&'*+.^`|~-]+$/.test(key);
			// The text may be a secret, so it is not repeated.
			if (!isKey && separator === '=') throw usageError(add, '--env takes KEY=VALUE, for example -e DEBUG=1');
			if (!isKey) throw usageError(add, "--header takes 'Name: value', for example -H 'X-Team: a'");
			const value = text.slice(at + 1);
			return [key, separator === ':' ? value.trim() : value];
		}),
	);
}

function registerSecrets({ lists, out }: CommandInput): void {
	const pairs = [
		...Object.entries(pairsOf(lists?.get('env') ?? [], '=') ?? {}),
		...Object.entries(pairsOf(lists?.get('header') ?? [], ':') ?? {}),
	];
	for (const [name, value] of pairs) {
		if (looksLikeSecret(name, value)) {
			out.info(
				`note: ${name} is in the file in plain text; '\${VARIABLE}' in its place is read from the environment`,
			);
		}
	}
}

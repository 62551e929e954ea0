/* `mctl add`: a server entry, written into the configuration as a person would. */
import { dirname, relative, resolve } from 'node:path';
import { looksLikeSecret } from '../../config/clients/plain-secrets.ts';
import { type ServerFile, serverFiles } from '../../config/edit/editable-files.ts';
import { setJsonKey } from '../../config/edit/json-edit.ts';
import { isOwnCommand } from '../../config/own-entry.ts';
import { OrchestraError } from '../../errors.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { editFlags, reportEdit, scopeOf, writeEdit } from '../edit-servers.ts';

const transports = ['stdio', 'http', 'sse'];

export const add: Command = {
	usage: 'mctl add <name> [flags] -- <command…>  |  mctl add <name> <url>',
	examples: [
		'mctl add files -- npx -y @modelcontextprotocol/server-filesystem .',
		"mctl add github -e 'GITHUB_TOKEN=${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github",
		"mctl add docs https://mcp.example.com/mcp -H 'Authorization: Bearer ${TOKEN}'",
	],
	flags: {
		env: {
			type: 'string',
			short: 'e',
			value: 'KEY=VALUE',
			repeats: true,
			help: 'a variable; may be repeated',
		},
		header: {
			type: 'string',
			short: 'H',
			value: 'HEADER',
			repeats: true,
			help: "a header as 'Name: value'; may be repeated",
		},
		transport: {
			type: 'string',
			short: 't',
			value: 'KIND',
			help: `${transports.join(', ')} (default: by the words)`,
		},
		...editFlags,
	},

	async run(input) {
		const [name, ...words] = input.words;
		if (name === undefined) throw usageError(add, 'mctl add needs a name, and a command or a URL');
		if (!/^[\w.-]{1,64}$/.test(name)) {
			throw usageError(add, `"${name}" is not a name: use letters, digits, -, _ and .`);
		}
		const entry = entryOf(name, words, input);
		const [file] = serverFiles(scopeOf(input, add) ?? 'project', process.cwd(), input.environment);
		if (file === undefined) throw usageError(add, 'there is no file for this scope');
		if (Object.hasOwn(file.servers, name)) {
			throw new OrchestraError('bad_input', `${file.path} has a server "${name}" already`, {
				hint: `Choose another name, or remove it first: mctl remove ${name}`,
			});
		}
		await writeEdit(input, file, setJsonKey(file.text, ['mcpServers', name], seenFrom(file, entry)));
		noteSecrets(input);
		reportEdit(input, { name, file, change: 'added', wasChanged: true }, [
			`${input.out.style('green', '+')} ${name} in ${file.path}`,
			'\nNext: mctl list servers --check',
		]);
	},
};

function entryOf(name: string, words: readonly string[], input: CommandInput): Record<string, unknown> {
	const [first, ...rest] = words;
	const { transport } = input.flags;
	if (first === undefined) throw usageError(add, `mctl add ${name} needs a command after --, or a URL`);
	if (transport !== undefined && !transports.includes(String(transport))) {
		throw usageError(add, `--transport takes ${transports.join(', ')}, not "${String(transport)}"`);
	}
	const isUrl = /^[a-z][a-z\d+.-]*:\/\//i.test(first);
	if (transport === undefined ? isUrl : transport !== 'stdio') return remoteEntry(first, rest, input);
	if (isUrl) throw usageError(add, `${first} is a URL; --transport stdio takes a command`);
	const headers = input.lists?.get('header') ?? [];
	if (headers.length > 0) throw usageError(add, '--header is for a URL; a command takes --env');
	if (isOwnCommand({ command: first, args: [...rest] })) {
		throw usageError(
			add,
			`"${words.join(' ')}" is this program itself, so it is not added to its own configuration`,
		);
	}
	const env = pairsOf(input.lists?.get('env') ?? [], '=');
	return { command: first, ...(rest.length > 0 ? { args: rest } : {}), ...(env && { env }) };
}

/** A relative program is meant from here; in a file it counts from the folder of that file. */
function seenFrom({ path, scope }: ServerFile, entry: Record<string, unknown>): Record<string, unknown> {
	const { command } = entry;
	if (typeof command !== 'string' || !/^\.{1,2}[/\\]/.test(command)) return entry;
	if (scope === 'user') return { ...entry, command: resolve(command) };
	const inside = relative(dirname(path), resolve(command));
	return { ...entry, command: inside.startsWith('..') ? inside : `./${inside}` };
}

function remoteEntry(
	url: string,
	rest: readonly string[],
	{ flags, lists }: CommandInput,
): Record<string, unknown> {
	if (!URL.canParse(url) || !/^https?:/i.test(url))
		throw usageError(add, `"${url}" is not an http:// or https:// address`);
	if (rest.length > 0) throw usageError(add, `unexpected word "${rest[0]}" after the URL`);
	if (lists?.has('env')) throw usageError(add, '--env is for a command; a URL takes --header');
	const headers = pairsOf(lists?.get('header') ?? [], ':');
	return { type: flags['transport'] === 'sse' ? 'sse' : 'http', url, ...(headers && { headers }) };
}

/** `KEY=VALUE` or `Name: value`; undefined when there are none. */
function pairsOf(texts: readonly string[], separator: '=' | ':'): Record<string, string> | undefined {
	if (texts.length === 0) return undefined;
	return Object.fromEntries(
		texts.map((text): [string, string] => {
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

function noteSecrets({ lists, out }: CommandInput): void {
	const pairs = [
		...Object.entries(pairsOf(lists?.get('env') ?? [], '=') ?? {}),
		...Object.entries(pairsOf(lists?.get('header') ?? [], ':') ?? {}),
	];
	for (const [name, value] of pairs) {
		if (looksLikeSecret(name, value)) {
			out.note(
				`note: ${name} is in the file in plain text; '\${VARIABLE}' in its place is read from the environment`,
			);
		}
	}
}

/* Completion candidates at the cursor: commands, flags, names of this folder. */
import { printableLine } from '../../printable.ts';
import { type JsonObject, ownEntry } from '../../wire/json.ts';
import type { CommandInput } from '../command.ts';
import { commands } from '../command-table.ts';
import { listings } from '../list/listing.ts';
import { needsValue } from '../parse-flags.ts';
import { builtInCommands, firstNames, membersOf } from '../resolve-command.ts';

type Place = Pick<CommandInput, 'cwd' | 'environment' | 'out'>;

/** The names that a command takes as its first argument. */
const names: ReadonlyMap<string, (place: Place) => Promise<readonly string[]>> = new Map([
	['run', async (place) => [...(await toolIds(place)), ...(await knownNames(place, 'tools'))]],
	['call', callableNames],
	['show', async (place) => [...(await callableNames(place)), ...(await promptNames(place))]],
	['check', toolIds],
	['auth', remoteServers],
	['prompt', promptNames],
	['hub logs', serverNames],
	['approve', async () => ['list', 'show', 'allow', 'deny']],
	['policy test', async (place) => [...(await toolIds(place)), ...(await knownNames(place, 'tools'))]],
	['remove', serverNames],
	['enable', entryNames],
	['disable', entryNames],
	['types', serverNames],
	['list', async () => Object.keys(listings)],
	['completion', async () => ['bash', 'zsh', 'fish']],
]);

/** The names that a command takes after a server. */
const secondNames: ReadonlySet<string> = new Set(['call', 'show']);

/** Candidates for the last of `args`, which may be empty; `args` come after `mctl`. */
export async function completionsFor(args: readonly string[], place: Place): Promise<readonly string[]> {
	const whole = joinedPairs(args);
	const current = whole.at(-1) ?? '';
	const all = await allFor(whole.slice(0, -1), current, place);
	// What bash split off stays where it is.
	const from = whole.length < args.length ? current.indexOf('=') + 1 : 0;
	// A name with a control character cannot be typed, and a newline would make two of it.
	return all
		.filter((each) => each.startsWith(current) && printableLine(each) === each)
		.map((each) => each.slice(from));
}

/** bash takes `key=value` for three arguments. */
function joinedPairs(args: readonly string[]): string[] {
	const joined: string[] = [];
	args.forEach((arg, at) => {
		const isRest = arg === '=' || (args[at - 1] === '=' && args[at - 2] !== undefined);
		if (isRest && joined.length > 0) joined.push(`${joined.pop()}${arg}`);
		else joined.push(arg);
	});
	return joined;
}

async function allFor(before: readonly string[], current: string, place: Place): Promise<readonly string[]> {
	const [first, second] = before.filter(
		(arg, index) => !arg.startsWith('-') && !(index === 0 && arg === 'help'),
	);
	if (first === undefined) return [...firstNames(commands), ...(before.length === 0 ? builtInCommands : [])];
	const members = membersOf(commands, first);
	const isGroup = members.length > 0 && !(commands.has(first) && current.startsWith('-'));
	if (isGroup && second === undefined) return members;
	const name = members.length > 0 && second !== undefined ? `${first} ${second}` : first;
	const entry = commands.get(name);
	if (entry === undefined || before[0] === 'help') return [];
	const { flags } = await entry.load();
	const previous = ownEntry(flags, before.at(-1)?.replace(/^--/, '') ?? '');
	if (previous && needsValue(previous)) return [];
	if (current.startsWith('-')) return [...Object.keys(flags), 'quiet', 'help'].map((flag) => `--${flag}`);
	// After a server comes one of its tools, after a tool its parameters. Any other argument is free text.
	if (secondNames.has(name) && second !== undefined && before.at(-1) === second) {
		const tools = await toolsOfServer(second, place);
		if (tools.length > 0) return tools;
	}
	if (name === 'run' || name === 'call') {
		const given = before.filter((arg) => !arg.startsWith('-')).slice(1);
		const schema = given.length === 0 ? undefined : await schemaOf(given, place);
		if (schema !== undefined) return pairsOf(schema, given, current);
	}
	const lastOfName = members.length > 0 ? second : first;
	return before.at(-1) === lastOfName || before.at(-1)?.startsWith('-')
		? ((await names.get(name)?.(place)) ?? [])
		: [];
}

/** The input of the tool that the arguments name: one of the folder, or one of a server that was seen before. */
async function schemaOf(
	[first = '', second = '']: readonly string[],
	place: Place,
): Promise<JsonObject | undefined> {
	const { openProject } = await import('../target/project.ts');
	const own = openProject(place, { hasExamples: true }).tools.find(({ id }) => id === first);
	if (own) return own.inputSchema;
	const { cachedNames, knownToolNamed } = await import('../learn/server-statuses.ts');
	const server = cachedNames(place).find(({ name }) => name === first);
	const tool = knownToolNamed(place, server ? server.prefix + second : first);
	return tool?.inputSchema;
}

/** `key=` for each parameter that is not given yet; after it, the values that it may have. */
async function pairsOf(
	schema: JsonObject,
	given: readonly string[],
	current: string,
): Promise<readonly string[]> {
	const { propertiesOf, resolveSchema, typesOf } = await import('../../schema/schema-types.ts');
	const properties = propertiesOf({ schema, root: schema });
	const isGiven = (key: string): boolean => given.some((arg) => arg.startsWith(`${key}=`));
	if (!current.includes('='))
		return [...properties.keys()].filter((key) => !isGiven(key)).map((key) => `${key}=`);
	const key = current.slice(0, current.indexOf('='));
	const place = properties.get(key);
	if (place === undefined) return [];
	const { enum: listed, const: only } = resolveSchema(place);
	const values = Array.isArray(listed) ? listed : only !== undefined ? [only] : [];
	const all = values.length === 0 && typesOf(place).includes('boolean') ? [true, false] : values;
	return all.map((value) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

async function toolIds(place: Place): Promise<readonly string[]> {
	const { openProject } = await import('../target/project.ts');
	return openProject(place, { hasExamples: true }).tools.map(({ id }) => id);
}

async function remoteServers(place: Place): Promise<readonly string[]> {
	const { loadConfiguration } = await import('../../config/load.ts');
	const { configuration } = loadConfiguration(place);
	return configuration.mcpServers.filter(({ kind }) => kind !== 'stdio').map(({ name }) => name);
}

async function promptNames(place: Place): Promise<readonly string[]> {
	const { withLibrary } = await import('../open-library.ts');
	const prompts = await withLibrary({ flags: {}, ...place }, (library) => library.listPrompts());
	return [...prompts.map(({ name }) => name), ...(await knownNames(place, 'prompts'))];
}

async function callableNames(place: Place): Promise<readonly string[]> {
	const own = [...(await serverNames(place)), ...(await toolIds(place))];
	return [...own, ...(await knownNames(place, 'tools'))];
}

async function serverNames(place: Place): Promise<readonly string[]> {
	const { loadConfiguration } = await import('../../config/load.ts');
	const { configuration } = loadConfiguration(place);
	return configuration.mcpServers.map(({ name }) => name);
}

async function entryNames(place: Place): Promise<readonly string[]> {
	const { loadConfiguration } = await import('../../config/load.ts');
	const { mcpServers, plugins } = loadConfiguration(place).configuration;
	return [...mcpServers.map(({ name }) => name), ...plugins.map(({ id }) => id)];
}

/** The names in the last lists of MCP servers, as agents see them. Nothing is started. */
async function knownNames(place: Place, kind: 'tools' | 'prompts'): Promise<readonly string[]> {
	const { cachedNames } = await import('../learn/server-statuses.ts');
	return cachedNames(place).flatMap((known) => known[kind].map((name) => known.prefix + name));
}

async function toolsOfServer(server: string, place: Place): Promise<readonly string[]> {
	const { cachedNames } = await import('../learn/server-statuses.ts');
	return cachedNames(place).find(({ name }) => name === server)?.tools ?? [];
}

/* Completion candidates at the cursor: commands, flags, names of this folder. */
import { printableLine } from '../printable.ts';
import { builtInWords, firstWords, membersOf } from './asked-command.ts';
import { commands } from './commands.ts';
import { listings } from './listing.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

/** The names that a command takes as its first word. */
const names: ReadonlyMap<string, (environment: Environment) => Promise<readonly string[]>> = new Map([
	[
		'run',
		async (environment) => [...(await toolIds(environment)), ...(await knownNames(environment, 'tools'))],
	],
	['call', callableNames],
	[
		'show',
		async (environment) => [...(await callableNames(environment)), ...(await promptNames(environment))],
	],
	['check', toolIds],
	['auth', remoteServers],
	['prompt', promptNames],
	['hub logs', serverNames],
	['approve', async () => ['list', 'show', 'allow', 'deny']],
	[
		'policy test',
		async (environment) => [...(await toolIds(environment)), ...(await knownNames(environment, 'tools'))],
	],
	['remove', serverNames],
	['enable', entryNames],
	['disable', entryNames],
	['types', serverNames],
	['list', async () => Object.keys(listings)],
	['completion', async () => ['bash', 'zsh', 'fish']],
]);

/** The names that a command takes after a server. */
const secondNames: ReadonlySet<string> = new Set(['call', 'show']);

/** Candidates for the last of `words`, which may be empty; `words` come after `mctl`. */
export async function completionsFor(
	words: readonly string[],
	environment: Environment,
): Promise<readonly string[]> {
	const current = words.at(-1) ?? '';
	const all = await allFor(words.slice(0, -1), current, environment);
	// A name with a control character cannot be typed, and a newline would make two of it.
	return all.filter((each) => each.startsWith(current) && printableLine(each) === each);
}

async function allFor(
	before: readonly string[],
	current: string,
	environment: Environment,
): Promise<readonly string[]> {
	const [first, second] = before.filter(
		(word, index) => !word.startsWith('-') && !(index === 0 && word === 'help'),
	);
	if (first === undefined) return [...firstWords(commands), ...(before.length === 0 ? builtInWords : [])];
	const members = membersOf(commands, first);
	const isGroup = members.length > 0 && !(commands.has(first) && current.startsWith('-'));
	if (isGroup && second === undefined) return members;
	const name = members.length > 0 && second !== undefined ? `${first} ${second}` : first;
	const entry = commands.get(name);
	if (entry === undefined || before[0] === 'help') return [];
	const { flags } = await entry.load();
	const previous = before.at(-1)?.replace(/^--/, '') ?? '';
	if (Object.hasOwn(flags, previous) && flags[previous]?.type === 'string') return [];
	if (current.startsWith('-')) return [...Object.keys(flags), 'help'].map((flag) => `--${flag}`);
	// After a server comes one of its tools. Any other word after the first is the user's own.
	if (secondNames.has(name) && second !== undefined && before.at(-1) === second) {
		return toolsOfServer(second, environment);
	}
	const lastOfName = members.length > 0 ? second : first;
	return before.at(-1) === lastOfName || before.at(-1)?.startsWith('-')
		? ((await names.get(name)?.(environment)) ?? [])
		: [];
}

async function toolIds(environment: Environment): Promise<readonly string[]> {
	const { openProject } = await import('./project.ts');
	return openProject(environment, { hasExamples: true }).tools.map(({ id }) => id);
}

async function remoteServers(environment: Environment): Promise<readonly string[]> {
	const { loadConfiguration } = await import('../config/load.ts');
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment });
	return configuration.mcpServers.filter(({ kind }) => kind !== 'stdio').map(({ name }) => name);
}

async function promptNames(environment: Environment): Promise<readonly string[]> {
	const { withLibrary } = await import('./open-library.ts');
	const prompts = await withLibrary({ flags: {}, environment }, (library) => library.listPrompts());
	return [...prompts.map(({ name }) => name), ...(await knownNames(environment, 'prompts'))];
}

async function callableNames(environment: Environment): Promise<readonly string[]> {
	const own = [...(await serverNames(environment)), ...(await toolIds(environment))];
	return [...own, ...(await knownNames(environment, 'tools'))];
}

async function serverNames(environment: Environment): Promise<readonly string[]> {
	const { loadConfiguration } = await import('../config/load.ts');
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment });
	return configuration.mcpServers.map(({ name }) => name);
}

async function entryNames(environment: Environment): Promise<readonly string[]> {
	const { loadConfiguration } = await import('../config/load.ts');
	const { mcpServers, plugins } = loadConfiguration({ cwd: process.cwd(), environment }).configuration;
	return [...mcpServers.map(({ name }) => name), ...plugins.map(({ id }) => id)];
}

/** The names that MCP servers offered last, as agents see them. Nothing is started. */
async function knownNames(environment: Environment, kind: 'tools' | 'prompts'): Promise<readonly string[]> {
	const { knownOffers } = await import('./server-statuses.ts');
	return knownOffers(environment).flatMap((known) => known[kind].map((name) => known.prefix + name));
}

async function toolsOfServer(server: string, environment: Environment): Promise<readonly string[]> {
	const { knownOffers } = await import('./server-statuses.ts');
	return knownOffers(environment).find(({ name }) => name === server)?.tools ?? [];
}

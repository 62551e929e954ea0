/* What the commands that edit one server entry share: the scope, the file that has it, the nearest names. */
import {
	type EntryScope,
	entryFiles,
	type ServerFile,
	serverFiles,
	writeServerFile,
} from '../../config/edit/editable-files.ts';
import { setJsonKey } from '../../config/edit/json-edit.ts';
import { isPluginsYaml } from '../../config/plugins-yaml.ts';
import { OrchestraError } from '../../errors.ts';
import { didYouMean, nearest } from '../../nearest.ts';
import { printableLine, quoted } from '../../printable.ts';
import {
	type ArgCount,
	type Command,
	type CommandInput,
	type Flag,
	jsonFlag,
	usageError,
} from '../command.ts';

const scopeFlag: Flag = { short: 's', value: 'SCOPE', help: 'project (orchestra.json or .mcp.json) or user' };

/** The flags of every command that edits one entry. */
export const editFlags: Readonly<Record<string, Flag>> = {
	scope: scopeFlag,
	json: jsonFlag,
};

type Usage = Pick<Command, 'usage'>;

export function scopeOf({ flags }: CommandInput, command: Usage): EntryScope | undefined {
	const { scope } = flags;
	if (scope === undefined || scope === 'project' || scope === 'user') return scope;
	throw usageError(command, `--scope takes project or user, not "${String(scope)}"`);
}

/** The arguments of every command that changes one server. */
export const oneServer: ArgCount = [1, 1, 'the name of a server'];

/** Throws `bad_input` when the file has a server of this name. */
export function refuseTaken(name: string, { path, servers }: ServerFile): void {
	if (!Object.hasOwn(servers, name)) return;
	throw new OrchestraError('bad_input', `${path} has a server "${name}" already`, {
		hint: `Choose another name (--as NAME for a listed server), or remove it first: mctl remove ${quoted(name)}`,
	});
}

/** An edit that adds a server to the file as it is then. It throws `bad_input` when the file has one of this name. */
export function withEntry(
	name: string,
	entry: Readonly<Record<string, unknown>>,
): (now: ServerFile) => string {
	return (now) => {
		refuseTaken(name, now);
		return setJsonKey(now.text, ['mcpServers', name], entry);
	};
}

/** The file that has the entry, that of the project first. Throws `bad_input` with the nearest names. */
export function fileWith(name: string, input: CommandInput, command: Usage): ServerFile {
	const files = filesInScope(serverFiles, input, command);
	const file = files.find(({ servers }) => Object.hasOwn(servers, name));
	return file ?? refuseName(name, files, 'server');
}

/** The same for the name of a server or the id of a plugin. */
export function fileWithEntry(name: string, input: CommandInput, command: Usage): ServerFile {
	const files = filesInScope(entryFiles, input, command);
	const file =
		files.find(({ servers }) => Object.hasOwn(servers, name)) ??
		files.find(({ plugins = [] }) => plugins.some(({ id }) => id === name));
	return file ?? refuseName(name, files, 'server or plugin');
}

function filesInScope(read: typeof serverFiles, input: CommandInput, command: Usage): ServerFile[] {
	const scope = scopeOf(input, command);
	const scopes: readonly EntryScope[] = scope === undefined ? ['project', 'user'] : [scope];
	return scopes.flatMap((each) => read(each, input.cwd, input.environment));
}

function refuseName(name: string, files: readonly ServerFile[], what: string): never {
	const ids = what === 'server' ? [] : files.flatMap(({ plugins = [] }) => plugins.map(({ id }) => id));
	const names = [...new Set([...files.flatMap(({ servers }) => Object.keys(servers)), ...ids])];
	const guesses = nearest(name, names);
	const where = files.map(({ path }) => path).join(' or ');
	throw new OrchestraError('bad_input', `there is no ${what} "${name}" in ${where}`, {
		hint: didYouMean(guesses, hintFor(names)),
		data: { name, nearest: guesses },
	});
}

function hintFor(names: readonly string[]): string {
	return names.length === 0
		? 'mctl add adds one, mctl init imports those of your clients'
		: `there are: ${names.map(printableLine).join(', ')}`;
}

/** Write the new text, and say so when the file is not trusted afterwards. */
export async function writeEdit(
	{ out, environment }: CommandInput,
	file: ServerFile,
	edit: Parameters<typeof writeServerFile>[1],
): Promise<void> {
	const untrusted = await writeServerFile(file, edit, environment);
	warnUntrusted(out, file.path, untrusted);
}

/** A file that a stranger wrote stays untrusted when mctl edits it. */
export function warnUntrusted(out: CommandInput['out'], path: string, reason: string | undefined): void {
	if (reason === undefined) return;
	out.info(`note: ${path} is not trusted, because ${reason}; mctl trust shows what it runs, and trusts it`);
}

/** The outcome of an edit. */
export interface EntryEdit {
	readonly name: string;
	readonly file: ServerFile;
	readonly change: 'added' | 'removed' | 'enabled' | 'disabled' | 'quarantined' | 'upgraded';
	/** False when it was like this before. */
	readonly wasChanged: boolean;
}

/** The answer of a command that edits one entry: its lines for a user, or one object. */
export function reportEdit({ flags, out }: CommandInput, edit: EntryEdit, lines: readonly string[]): void {
	const { name, change, wasChanged, file } = edit;
	if (flags['json'] !== true) for (const line of lines) out.line(line);
	else
		out.json({
			schema: 'orchestra.edit-server/1',
			name,
			change,
			wasChanged,
			scope: file.scope,
			file: file.path,
		});
}

/** An `.mcp.json` beside an `orchestra.json` is not read, and a `plugins.yaml` beside a file with plugins. */
export function warnIfUnused({ out, cwd, environment }: CommandInput, file: ServerFile): void {
	if (file.scope !== 'project') return;
	const [used] = serverFiles('project', cwd, environment);
	const isRead = file.path === used?.path || (isPluginsYaml(file.path) && used?.plugins === undefined);
	if (used !== undefined && !isRead) out.info(`note: ${file.path} is not read, because ${used.path} is`);
}

/*
 * The commands that the page runs: fields of a form, and the arguments of `mctl` that they stand for.
 *
 * The page shows the arguments and the hub runs the same ones, so what is shown is what happens, with the
 * checks and the trust of the command. No field becomes a flag: values that begin with `-` are refused or bound by `=`.
 */
import { OrchestraError } from '../../errors.ts';
import { quoted } from '../../printable.ts';

export type PageCommand =
	| {
			readonly kind: 'add-command';
			readonly name: string;
			/** The program and its arguments. */
			readonly args: readonly string[];
			/** `NAME=VALUE` */
			readonly env: readonly string[];
	  }
	| {
			readonly kind: 'add-url';
			readonly name: string;
			readonly url: string;
			/** `Name: value` */
			readonly headers: readonly string[];
	  }
	| {
			readonly kind: 'add-listed';
			/** The name in the registry. */
			readonly name: string;
			/** `NAME=VALUE` */
			readonly values: readonly string[];
			readonly isDryRun: boolean;
	  }
	| { readonly kind: 'search'; readonly query: string }
	| { readonly kind: 'import'; readonly names: readonly string[]; readonly isDryRun: boolean }
	| { readonly kind: 'connect'; readonly client: string; readonly isDryRun: boolean }
	| { readonly kind: 'sign-in'; readonly server: string }
	| { readonly kind: 'hubs' };

/** The arguments after `mctl`. */
export function commandArgs(command: PageCommand): string[] {
	const dryRun = 'isDryRun' in command && command.isDryRun ? ['--dry-run'] : [];
	switch (command.kind) {
		case 'add-command':
			return ['add', command.name, ...flags('--env', command.env), '--', ...command.args];
		case 'add-url':
			return ['add', command.name, command.url, ...flags('--header', command.headers)];
		case 'add-listed':
			return [
				'add',
				command.name,
				...flags('--set', command.values),
				...(dryRun.length > 0 ? dryRun : ['--yes']),
			];
		case 'search':
			return ['search', ...command.query.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-'))];
		case 'import':
			return ['init', ...(command.names.length > 0 ? [`--only=${command.names.join(',')}`] : []), ...dryRun];
		case 'connect':
			return ['init', `--client=${command.client}`, ...(dryRun.length > 0 ? dryRun : ['--yes'])];
		case 'sign-in':
			return ['auth', command.server];
		case 'hubs':
			return ['hub', 'ls'];
	}
}

/** The command as it is typed in a terminal. */
export function commandText(command: PageCommand): string {
	return ['mctl', ...commandArgs(command)].map(quoted).join(' ');
}

/** The command in the body of a request. Throws `bad_input`. */
export function readPageCommand(body: Readonly<Record<string, unknown>>): PageCommand {
	const text = (name: string): string => plainWord(body[name], name);
	const strings = (name: string): string[] => textList(body[name], name);
	const isDryRun = body['isDryRun'] === true;
	switch (body['kind']) {
		case 'add-command':
			return { kind: 'add-command', name: text('name'), args: strings('args'), env: strings('env') };
		case 'add-url':
			return { kind: 'add-url', name: text('name'), url: text('url'), headers: strings('headers') };
		case 'add-listed':
			return { kind: 'add-listed', name: text('name'), values: strings('values'), isDryRun };
		case 'search':
			return { kind: 'search', query: text('query') };
		case 'import':
			return importCommand(strings('names'), isDryRun);
		case 'connect':
			return { kind: 'connect', client: text('client'), isDryRun };
		case 'sign-in':
			return { kind: 'sign-in', server: text('server') };
		case 'hubs':
			return { kind: 'hubs' };
		default:
			throw new OrchestraError('bad_input', 'the page has no such command', {
				hint: 'Use add-command, add-url, add-listed, search, import, connect, sign-in or hubs.',
			});
	}
}

/** Without names everything would be imported, which is a choice to make by name. */
function importCommand(names: readonly string[], isDryRun: boolean): PageCommand {
	if (names.length > 0 || isDryRun) return { kind: 'import', names, isDryRun };
	throw new OrchestraError('bad_input', 'no server is chosen', { hint: 'Choose the servers to import.' });
}

function flags(name: string, values: readonly string[]): string[] {
	return values.map((value) => `${name}=${value}`);
}

function plainWord(value: unknown, name: string): string {
	if (typeof value === 'string' && value !== '' && !value.startsWith('-') && !hasControl(value)) return value;
	throw new OrchestraError('bad_input', `"${name}" is missing, or not a word that may be given here`, {
		hint: 'Use one line that does not begin with a hyphen.',
	});
}

function textList(value: unknown, name: string): string[] {
	const list: readonly unknown[] = Array.isArray(value) ? value : [];
	if (list.every((each): each is string => typeof each === 'string' && !hasControl(each))) return [...list];
	throw new OrchestraError('bad_input', `"${name}" is not a list of lines`, {
		hint: 'Use strings without control characters.',
	});
}

function hasControl(text: string): boolean {
	return /\p{Cc}/u.test(text);
}

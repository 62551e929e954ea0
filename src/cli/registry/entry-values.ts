/*
 * The values that an entry of a registry or a bundle needs: from `--set NAME=VALUE`, else
 * asked for on the terminal. Secrets are not shown while they are typed and do not reach the
 * configuration: it gets a reference to where they are stored.
 */
import { join, resolve } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { printableLine } from '../../printable.ts';
import type { GivenValues, LaunchInput } from '../../registry/launch-slots.ts';
import { storeSecret } from '../../secrets/store-secret.ts';
import {
	type Command,
	type CommandInput,
	type CommandPlace,
	canAskUser,
	type Flag,
	usageError,
} from '../command.ts';
import { askLine } from '../terminal/ask-line.ts';

export const setFlag: Flag = {
	value: 'NAME=VALUE',
	repeats: true,
	help: 'a value that the server needs; may be repeated',
};

/** The values of `--set`. Throws for a name that the server does not have. */
export function givenValues(
	inputs: readonly LaunchInput[],
	{ lists }: CommandInput,
	command: Pick<Command, 'usage'>,
): Map<string, string[]> {
	const given = new Map<string, string[]>();
	for (const pair of lists?.get('set') ?? []) {
		const at = pair.indexOf('=');
		const key = pair.slice(0, Math.max(0, at));
		const value = inputs.find((each) => each.key === key);
		if (value === undefined) {
			const names = inputs.map((each) => each.key).join(', ');
			// The text may be a secret, so it is not repeated.
			throw usageError(
				command,
				at < 1 ? '--set takes NAME=VALUE' : `there is no value "${key}"; there are: ${names || 'none'}`,
			);
		}
		const text = pair.slice(at + 1);
		const problem = text === '' && value.isRequired ? 'it needs a value' : problemOf(text, value);
		if (problem !== undefined) throw usageError(command, `--set ${key}: ${problem}`);
		given.set(key, [...(value.isRepeated ? (given.get(key) ?? []) : []), text]);
	}
	return given;
}

/** Ask for what is required and was not given. Throws with the list of names when there is no terminal. */
export async function askMissing(
	inputs: readonly LaunchInput[],
	given: ReadonlyMap<string, string[]>,
	input: CommandInput,
): Promise<Map<string, string[]>> {
	const values = new Map(given);
	const missing = inputs.filter(({ key, isRequired }) => isRequired && !values.has(key));
	if (missing.length === 0) return values;
	if (!canAskUser(input)) {
		const names = missing.map(
			({ key, description }) =>
				`${key}${description === undefined ? '' : ` (${printableLine(description)})`}`,
		);
		throw new OrchestraError('bad_input', `these values are missing: ${names.join(', ')}`, {
			hint: `Give them with --set ${missing[0]?.key ?? ''}=VALUE; for a secret a reference, as in --set KEY='\${VARIABLE}'.`,
			data: { missing: missing.map(({ key }) => key) },
		});
	}
	for (const value of missing) values.set(value.key, await askValue(value, input));
	return values;
}

async function askValue(value: LaunchInput, input: CommandInput): Promise<string[]> {
	const { out } = input;
	const { key, description, choices, isSecret, isRepeated } = value;
	if (description !== undefined) out.info(printableLine(description));
	const secret = value.exposedIn === undefined ? 'not shown' : 'a variable, as in ${TOKEN}';
	const notes = choices.length > 0 ? choices.map(printableLine).join(', ') : isSecret ? secret : '';
	const kind = notes && ` (${notes})`;
	const strings: string[] = [];
	do {
		const isFirst = strings.length === 0;
		const text = await askLine(
			{
				prompt: `${printableLine(key)}${kind}${isFirst ? '' : ', another, or nothing'}: `,
				help: problemOf('', value) ?? 'That is not a possible value.',
				read: (line) =>
					(line === '' && !isFirst) || (line !== '' && problemOf(line, value) === undefined) ? line : 'wrong',
				isHidden: isSecret && value.exposedIn === undefined,
			},
			input,
		);
		if (text === undefined)
			throw new OrchestraError('canceled', `${key} was not given, so nothing was written`);
		if (text === '') break;
		strings.push(text);
	} while (isRepeated);
	return strings;
}

const exposures = {
	'command line': 'every process can read a command line',
	address: 'an address is in the configuration as it is',
};

/** Why a text is not a possible value; undefined when it is. */
function problemOf(
	text: string,
	{ choices, format, isSecret, exposedIn, range }: LaunchInput,
): string | undefined {
	const isReference = /^\$\{[^}]+\}$/.test(text);
	if (isReference && !(exposedIn && /^\$\{(?:file|cmd|keychain):/.test(text))) return undefined;
	if (isSecret && exposedIn)
		return `${exposures[exposedIn]}, so a secret there must be a variable, as in '\${VARIABLE}'`;
	if (choices.length > 0 && !choices.includes(text))
		return `use one of ${choices.map(printableLine).join(', ')}`;
	if (format === 'number' && !isInRange(text, range)) return `use a number${describeRange(range)}`;
	if (format === 'boolean' && text !== 'true' && text !== 'false') return 'use true or false';
	return text.includes('\n') || text.includes('\0') ? 'use one line' : undefined;
}

function isInRange(text: string, range: LaunchInput['range']): boolean {
	const number = text.trim() === '' ? NaN : Number(text);
	return Number.isFinite(number) && (range === undefined || (number >= range.min && number <= range.max));
}

function describeRange(
	{ min, max }: NonNullable<LaunchInput['range']> = { min: -Infinity, max: Infinity },
): string {
	if (Number.isFinite(min)) return Number.isFinite(max) ? ` from ${min} to ${max}` : ` of at least ${min}`;
	return Number.isFinite(max) ? ` of at most ${max}` : '';
}

/** The values for the configuration: paths absolute, secrets stored and replaced by their references. @param owner the file and the name of the server */
export async function storedValues(
	inputs: readonly LaunchInput[],
	values: GivenValues,
	{
		owner,
		cwd,
		environment,
		signal,
	}: { owner: readonly string[] } & Pick<CommandInput, 'cwd' | 'environment' | 'signal'>,
): Promise<Map<string, string[]>> {
	const stored = new Map<string, string[]>();
	for (const { key, format, isSecret } of inputs) {
		const strings = values.get(key);
		if (strings === undefined) continue;
		const finals: string[] = [];
		for (const text of strings) {
			if (isSecret && !text.startsWith('${'))
				finals.push(await storeSecret([...owner, key], text, { environment, signal }));
			else finals.push(plainValue(text, format, { cwd, environment }));
		}
		stored.set(key, finals);
	}
	return stored;
}

/** A value as the configuration gets it: a path is absolute. What is typed at a prompt is not expanded by a shell. */
export function plainValue(
	text: string,
	format: LaunchInput['format'],
	{ cwd, environment }: CommandPlace,
): string {
	if (format !== 'filepath' || text.startsWith('${')) return text;
	const { HOME } = environment;
	return HOME !== undefined && /^~(?=\/|$)/.test(text) ? join(HOME, text.slice(1)) : resolve(cwd, text);
}

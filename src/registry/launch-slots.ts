/*
 * The places of an entry that hold a value: arguments of a command line, variables, headers and
 * addresses, each with the values that the user has to give and the text that comes of them.
 */
import type { RegistryArgument, RegistryInput, RegistryPair } from './server-record.ts';

/** A value that the user may or must give. */
export interface LaunchInput extends Pick<RegistryInput, 'isRequired' | 'isSecret' | 'format' | 'choices'> {
	/** The name in `--set NAME=VALUE`. */
	readonly key: string;
	readonly description: string | undefined;
	/** Where it is not private: a secret there must be a variable of the environment. */
	readonly exposedIn?: 'command line' | 'address' | undefined;
	readonly default: string | undefined;
	readonly isRepeated: boolean;
	/** The range of a number, both ends included. */
	readonly range?: { readonly min: number; readonly max: number } | undefined;
}

/** The values that the user gave, by their keys. */
export type GivenValues = ReadonlyMap<string, readonly string[]>;

/** A place in a command line, with the values that it needs. */
export interface Slot {
	readonly inputs: readonly LaunchInput[];
	args(values: GivenValues): string[];
}

/** The place of an argument. */
export function slotOf(argument: RegistryArgument): Slot {
	const { type, name = '', valueHint, isRepeated, value } = argument;
	const key = type === 'named' ? name.replace(/^-+|=$/g, '') : (valueHint ?? '');
	const wrap = (text: string): string[] => {
		if (type === 'positional') return [text];
		if (argument.format === 'boolean') return text === 'true' ? [name] : [];
		return name.endsWith('=') ? [name + text] : [name, text];
	};
	if (value !== undefined) {
		const template = templateSlot(value, argument.variables, 'command line');
		return { inputs: template.inputs, args: (values) => oneOrNone(template.text(values)).flatMap(wrap) };
	}
	return {
		inputs: [inputOf(key, { ...argument, isRepeated }, 'command line')],
		args: (values) => (values.get(key) ?? oneOrNone(argument.default)).flatMap(wrap),
	};
}

/** A variable or header with its value. */
interface PairSlot {
	readonly name: string;
	readonly inputs: readonly LaunchInput[];
	value(values: GivenValues): string | undefined;
}

/** The place of a variable of the environment or a header. */
export function pairSlot(pair: RegistryPair): PairSlot {
	const { name, value } = pair;
	if (value !== undefined) {
		const { inputs, text } = templateSlot(value, pair.variables);
		return { name, inputs, value: text };
	}
	return { name, inputs: [inputOf(name, pair)], value: (values) => values.get(name)?.[0] ?? pair.default };
}

/** The pairs that have a value. */
export function pairsWith(pairs: readonly PairSlot[], values: GivenValues): Record<string, string> {
	return Object.fromEntries(
		pairs.flatMap((pair) =>
			oneOrNone(pair.value(values)).map((value): [string, string] => [pair.name, value]),
		),
	);
}

/** A text in which `{name}` stands for a variable. Other braces stay. */
export function templateSlot(
	template: string,
	variables: Readonly<Record<string, RegistryInput>>,
	exposedIn?: LaunchInput['exposedIn'],
): { inputs: LaunchInput[]; text: (values: GivenValues) => string | undefined } {
	const used = Object.entries(variables)
		.filter(([name]) => template.includes(`{${name}}`))
		.map(([name, input]) => {
			// A variable may be fixed by a template of its own.
			const inner =
				input.value === undefined ? undefined : templateSlot(input.value, input.variables, exposedIn);
			return { name, input, inner };
		});
	return {
		inputs: used.flatMap(({ name, input, inner }) => inner?.inputs ?? [inputOf(name, input, exposedIn)]),
		text(values) {
			const strings = new Map(
				used.map(({ name, input, inner }) => [
					name,
					inner ? inner.text(values) : (values.get(name)?.[0] ?? input.default),
				]),
			);
			// Without the value of a variable there is no text: a literal `{name}` would mean something else.
			if ([...strings.values()].includes(undefined)) return undefined;
			return template.replace(/\{([^{}]*)\}/g, (whole, name: string) => strings.get(name) ?? whole);
		},
	};
}

function inputOf(
	key: string,
	input: RegistryInput & { isRepeated?: boolean },
	exposedIn?: LaunchInput['exposedIn'],
): LaunchInput {
	const { description, isRequired, isSecret, format, choices } = input;
	return {
		key,
		description,
		isRequired: isRequired && input.default === undefined,
		isSecret,
		exposedIn,
		format,
		default: input.default,
		choices,
		isRepeated: input.isRepeated === true,
	};
}

/** Each value once, by its key; a place that is not private decides, and one place that keeps it secret. */
export function unique(inputs: readonly LaunchInput[]): LaunchInput[] {
	const exposed = inputs.filter(({ exposedIn }) => exposedIn !== undefined);
	const secrets = new Set(inputs.filter(({ isSecret }) => isSecret).map(({ key }) => key));
	return [
		...new Map(
			[...inputs, ...exposed].map((each) => [each.key, { ...each, isSecret: secrets.has(each.key) }]),
		).values(),
	];
}

export function oneOrNone<T>(value: T | undefined): T[] {
	return value === undefined ? [] : [value];
}

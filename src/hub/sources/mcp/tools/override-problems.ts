/* What is wrong with the `overrides` of a server, once its tools are known: sentences with what was probably meant. */
import type { ToolOverride } from '../../../../config/configuration.ts';
import { nearest } from '../../../../nearest.ts';
import { printableName } from '../../../../printable.ts';
import type { Tool } from '../../../../protocol/mcp-types.ts';
import { isObject, ownEntry } from '../../../../wire/json.ts';

/** Everything that is wrong. */
export function overrideProblems(
	overrides: Readonly<Record<string, ToolOverride>>,
	tools: readonly Tool[],
	server: string,
): string[] {
	const wrong = tools.flatMap((tool) => {
		const override = ownEntry(overrides, tool.name);
		return (override && overrideProblem(tool, override, server)) ?? [];
	});
	return [...unknownTools(overrides, tools, server), ...wrong];
}

/** Overrides of tools that the server does not have. */
export function unknownTools(
	overrides: Readonly<Record<string, ToolOverride>>,
	tools: readonly Tool[],
	server: string,
): string[] {
	const names = tools.map(({ name }) => name);
	return Object.keys(overrides)
		.filter((name) => !names.includes(name))
		.map((name) => `${keyOf(server, name)} is no tool of ${server}${meant(name, names)}`);
}

/** Why an override does not fit its tool; undefined when it does. */
export function overrideProblem(
	tool: Tool,
	{ parameters = {} }: ToolOverride,
	server: string,
): string | undefined {
	const { properties } = tool.inputSchema;
	if (!isObject(properties)) return undefined;
	const names = Object.keys(properties);
	const about = (name: string): string => `${keyOf(server, tool.name)}.parameters.${printableName(name)}`;
	for (const [name, { enum: allowed = [] }] of Object.entries(parameters)) {
		const own = ownEntry(properties, name);
		if (own === undefined)
			return `${about(name)} is no parameter of ${printableName(tool.name)}${meant(name, names)}`;
		const taken = (isObject(own) && Array.isArray(own['enum']) ? own['enum'] : allowed).map(textOf);
		const wrong = allowed.map(textOf).find((value) => !taken.includes(value));
		if (wrong !== undefined)
			return `${about(name)}.enum has ${wrong}, which the tool does not take${meant(wrong, taken)}`;
	}
	return undefined;
}

function keyOf(server: string, tool: string): string {
	return `mcpServers.${server}.overrides.${printableName(tool)}`;
}

function meant(name: string, names: readonly string[]): string {
	const [guess] = nearest(name, names);
	return guess === undefined
		? `; it has ${names.map(printableName).join(', ') || 'none'}`
		: `; did you mean ${printableName(guess)}?`;
}

function textOf(value: unknown): string {
	return JSON.stringify(value);
}

/*
 * The tools of one MCP server with the names, descriptions and values of its `overrides`.
 *
 * A tool whose override does not fit its schema is left out, and a call of it is refused: a fixed
 * value under a mistyped name would leave the choice to the client. Pins and scans see the tools as
 * the server sent them. Calls of tools with values leave the plain route; all others do not.
 */

import { isDeepStrictEqual } from 'node:util';
import type { ParameterOverride, ToolOverride } from '../../../../config/configuration.ts';
import { type Log, loggedOnce } from '../../../../log.ts';
import type { Tool } from '../../../../protocol/mcp-types.ts';
import type { SecretText } from '../../../../secrets/secret-text.ts';
import { isObject, type JsonObject, ownEntry } from '../../../../wire/json.ts';
import { memoized } from '../../../../wire/memoized.ts';
import { overrideProblem, unknownTools } from './override-problems.ts';

export interface OverriddenToolsOptions {
	readonly server: string;
	readonly overrides: Readonly<Record<string, ToolOverride>>;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Pick<Log, 'warn'>;
}

/** The values that are sent instead of, or beside, the arguments of a client. */
export type AddedValues = Readonly<Record<string, unknown>>;

export class OverriddenTools {
	readonly #options: OverriddenToolsOptions;
	readonly #isEmpty: boolean;
	/** Keyed by the tool as the server sent it. */
	readonly #changedTool = memoized((tool: Tool): Tool => {
		const override = ownEntry(this.#options.overrides, tool.name);
		return override ? overridden(tool, override) : tool;
	});
	readonly #warn = loggedOnce((text) => this.#options.log.warn(text));
	#problems: ReadonlyMap<string, string> = new Map();
	#seen: readonly Tool[] | undefined;
	readonly #secrets = new Map<SecretText, Promise<string>>();

	constructor(options: OverriddenToolsOptions) {
		this.#options = options;
		this.#isEmpty = Object.keys(options.overrides).length === 0;
	}

	/** These tools, as the server sent them, with the changes. */
	apply(tools: readonly Tool[]): readonly Tool[] {
		if (this.#isEmpty) return tools;
		this.check(tools);
		return tools.flatMap((tool) => (this.#problems.has(tool.name) ? [] : [this.#changedTool(tool)]));
	}

	/** Compare the overrides with the tools of the server; what does not fit is logged once. */
	check(tools: readonly Tool[]): void {
		if (this.#isEmpty || this.#seen === tools) return;
		this.#seen = tools;
		const { overrides, server } = this.#options;
		const found = tools.flatMap((tool): [string, string][] => {
			const override = ownEntry(overrides, tool.name);
			const problem = override && overrideProblem(tool, override, server);
			return problem === undefined ? [] : [[tool.name, problem]];
		});
		this.#problems = new Map(found);
		for (const text of [...unknownTools(overrides, tools, server), ...this.#problems.values()])
			this.#warn(text);
	}

	/** Why tools are left out, by their own names. */
	get problems(): ReadonlyMap<string, string> {
		return this.#problems;
	}

	/** Whether calls of a tool need its values, so that they cannot pass as text. */
	hasValues(own: string): boolean {
		return !this.#isEmpty && this.#parameters(own).some(([, each]) => isChecked(each));
	}

	/** The sentence that refuses a value of the client; undefined when all are allowed. */
	refusedValue(own: string, given: AddedValues): string | undefined {
		for (const [name, { enum: allowed }] of this.#parameters(own)) {
			const value = ownEntry(given, name);
			if (allowed && value !== undefined && !allowed.some((each) => isDeepStrictEqual(each, value)))
				return `${name} must be one of ${allowed.map((each) => JSON.stringify(each)).join(', ')}`;
		}
		return undefined;
	}

	/** The fixed values, and the defaults of what the client left out. Rejects when a secret cannot be had. */
	async valuesFor(own: string, given: AddedValues): Promise<AddedValues> {
		const values: [string, unknown][] = [];
		for (const [name, { value, default: byDefault, hidden }] of this.#parameters(own)) {
			if (hidden) values.push([name, isSecretText(value) ? await this.#secret(value) : value]);
			else if (byDefault !== undefined && ownEntry(given, name) === undefined) values.push([name, byDefault]);
		}
		return Object.fromEntries(values);
	}

	#parameters(own: string): [string, ParameterOverride][] {
		return Object.entries(ownEntry(this.#options.overrides, own)?.parameters ?? {});
	}

	/** Resolved with the first call; a failure is tried again. */
	#secret(text: SecretText): Promise<string> {
		const { environment } = this.#options;
		// Loaded on demand: a secret may be the output of a command, and a list starts none.
		const resolve = async (): Promise<string> =>
			(await import('../../../../secrets/resolve-secret.ts')).resolveSecret(text, { environment });
		const resolved = this.#secrets.get(text) ?? resolve();
		this.#secrets.set(text, resolved);
		resolved.catch(() => this.#secrets.delete(text));
		return resolved;
	}
}

function isChecked({ hidden, default: byDefault, enum: allowed }: ParameterOverride): boolean {
	return hidden === true || byDefault !== undefined || allowed !== undefined;
}

function isSecretText(value: unknown): value is SecretText {
	return typeof value === 'object' && value !== null && 'parts' in value && 'sourceLine' in value;
}

function overridden(tool: Tool, { title, description, annotations, parameters = {} }: ToolOverride): Tool {
	return {
		...tool,
		...(title !== undefined && { title }),
		...(description !== undefined && { description }),
		...(annotations && { annotations: { ...tool.annotations, ...annotations } }),
		...(Object.keys(parameters).length > 0 && { inputSchema: schemaWith(tool.inputSchema, parameters) }),
	};
}

function schemaWith(
	schema: Tool['inputSchema'],
	parameters: Readonly<Record<string, ParameterOverride>>,
): Tool['inputSchema'] {
	const own = isObject(schema['properties']) ? schema['properties'] : {};
	const properties = Object.entries(own).flatMap(([name, property]): [string, unknown][] => {
		const { hidden, value: _never, ...shown } = ownEntry(parameters, name) ?? {};
		return hidden ? [] : [[name, isObject(property) ? { ...property, ...shown } : property]];
	});
	const isStillRequired = (name: unknown): boolean => {
		const { hidden, default: byDefault } = ownEntry(parameters, String(name)) ?? {};
		return !hidden && byDefault === undefined;
	};
	const required = Array.isArray(schema['required']) ? schema['required'].filter(isStillRequired) : undefined;
	// Values of a configuration file are JSON.
	const changed = Object.fromEntries(properties) as JsonObject;
	return { ...schema, properties: changed, ...(required && { required }) };
}

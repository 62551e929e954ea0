/*
 * The saved plans of a project: `plans/<name>.ts`, a program with a comment in front that says what it is for and which
 * parameters it takes. Each is a tool. They are read when they are listed or called, within bounds.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { readRegularText } from '../../files/regular-file.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { PLAN_CODE_CHARACTERS, PLAN_FILES_LIMIT } from './plan-limits.ts';

/** The folder of them in a project. */
export const PLANS_FOLDER = 'plans';

/** The tool that runs a program; no saved plan has this name. */
export const RUN_PLAN = 'run_plan';

const NAME = /^[A-Za-z][\w-]{0,59}$/;

/** A program of a project. */
export interface SavedPlan {
	readonly name: string;
	readonly path: string;
	/** The code with the header: its lines are those of the file. */
	readonly code: string;
	readonly tool: Tool;
}

/** Whether a plan can be saved under this name. */
export function isPlanName(name: string): boolean {
	return NAME.test(name) && name !== RUN_PLAN;
}

/** The plans in a folder, by name. What cannot be read is left out. */
export function savedPlans(folder: string): SavedPlan[] {
	const files = (attempt(() => readdirSync(folder)) ?? []).filter((file) => /\.[jt]s$/.test(file)).sort();
	return files.slice(0, PLAN_FILES_LIMIT).flatMap((file): SavedPlan[] => {
		const name = file.slice(0, -'.ts'.length);
		const path = join(folder, file);
		const code = isPlanName(name) ? attempt(() => readRegularText(path, PLAN_CODE_CHARACTERS)) : undefined;
		return code === undefined ? [] : [{ name, path, code, tool: toolOf(name, code) }];
	});
}

/** The text of a file: the header, then the program. */
export function planText(code: string, description: string): string {
	const { text } = headerOf(code);
	if (text !== undefined) return code;
	return `/**\n * ${description.replaceAll('*/', '* /').replaceAll('\n', '\n * ')}\n */\n${code.trimEnd()}\n`;
}

function toolOf(name: string, code: string): Tool {
	const { description, parameters } = headerOf(code);
	const properties = parameters.map(({ name: parameter, schema }) => [parameter, schema]);
	const required = parameters.filter(({ isRequired }) => isRequired).map((parameter) => parameter.name);
	return {
		name,
		description: description || `The plan ${name} of this project.`,
		inputSchema: {
			type: 'object',
			properties: Object.fromEntries(properties),
			...(required.length > 0 && { required }),
			additionalProperties: false,
		},
	};
}

interface Parameter {
	readonly name: string;
	readonly schema: Readonly<Record<string, unknown>>;
	readonly isRequired: boolean;
}

/** `text` is undefined for a program without a header. */
function headerOf(code: string): { text: string | undefined; description: string; parameters: Parameter[] } {
	const [, text] = /^\s*\/\*\*([^]*?)\*\//.exec(code) ?? [];
	const lines = (text ?? '').split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd());
	const description: string[] = [];
	const parameters: Parameter[] = [];
	for (const line of lines) {
		const [, type = '', optional, bare, about = ''] =
			/^@param \{([^}]*)\} (?:\[([A-Za-z_]\w*)\]|([A-Za-z_]\w*))(?:\s+(?:- )?(.*))?$/.exec(line) ?? [];
		const name = optional ?? bare;
		if (name !== undefined) {
			const schema = { ...typeSchema(type), ...(about !== '' && { description: about }) };
			parameters.push({ name, schema, isRequired: optional === undefined });
		} else if (!line.startsWith('@')) description.push(line);
	}
	return { text, description: description.join('\n').trim(), parameters };
}

function typeSchema(type: string): Readonly<Record<string, unknown>> {
	const [, item] = /^(\w+)\[\]$/.exec(type) ?? [];
	if (item !== undefined) return { type: 'array', items: typeSchema(item) };
	return types.has(type) ? { type } : {};
}

const types: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array']);

/*
 * The saved plans of a project: `plans/<name>.ts`, a program with a comment in front that says what it is for and which
 * parameters it takes. Each is a tool. They are read when they are listed or called, within bounds.
 */
import { trustedPlanFiles } from '../../config/trust/plan-files.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { PLAN_CODE_CHARACTERS } from './plan-limits.ts';

/** A program of a project. */
export interface SavedPlan {
	readonly name: string;
	/** The code with the header: its lines are those of the file. */
	readonly code: string;
	readonly tool: Tool;
}

/** Those of a project that the user trusts, by name. */
export function savedPlans(root: string, environment: Readonly<NodeJS.ProcessEnv>): SavedPlan[] {
	return trustedPlanFiles(root, environment).flatMap(({ name, bytes }): SavedPlan[] => {
		const code = Buffer.from(bytes).toString('utf8');
		return code.length > PLAN_CODE_CHARACTERS ? [] : [{ name, code, tool: toolOf(name, code) }];
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

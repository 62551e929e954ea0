/* A provider made from a definition: the same checks and the same error texts for everybody's server. */
import { messageOf, OrchestraError } from '../errors.ts';
import { rpcError, rpcErrorOf } from '../rpc/rpc-error.ts';
import { isObject, type JsonObject } from '../wire/json.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { CallContext } from './call-context.ts';
import type { PromptDefinition, ServerDefinition, TemplateDefinition, ToolDefinition } from './definition.ts';
import { after } from './methods.ts';
import type { CallToolParams, Change, CompleteParams, GetPromptParams, Provider } from './provider.ts';
import type {
	Awaitable,
	CallToolResult,
	CompleteResult,
	GetPromptResult,
	Implementation,
	InputRequired,
	Prompt,
	ReadResourceResult,
	Resource,
	ResourceTemplate,
	ServerCapabilities,
	Tool,
} from './types.ts';
import { matchTemplate } from './uri-template.ts';

/** Most values a completion may have. */
const COMPLETION_VALUES = 100;

/** What checks arguments against a schema: one sentence for each fault. */
export type Validate = (schema: JsonObject, value: unknown) => Awaitable<string[]>;

const openObject: JsonObject = { type: 'object' };

export class DefinedProvider implements Provider {
	readonly info: Implementation;
	readonly instructions: string | undefined;
	readonly #definition: ServerDefinition;
	readonly #validate: Validate;
	readonly #tools: readonly Tool[];
	readonly #listeners = new Set<(change: Change) => void>();

	constructor(definition: ServerDefinition, validate: Validate) {
		const { name, version, title, instructions, tools = {} } = definition;
		this.#definition = definition;
		this.#validate = validate;
		this.info = title === undefined ? { name, version } : { name, title, version };
		this.instructions = instructions;
		this.#tools = entriesOf(tools).map(([toolName, { run: _run, inputSchema = openObject, ...rest }]) => ({
			name: toolName,
			...rest,
			inputSchema,
		}));
	}

	capabilities(): ServerCapabilities {
		const { tools, resources, templates, prompts } = this.#definition;
		return {
			...(tools ? { tools: { listChanged: true } } : {}),
			...(resources || templates ? { resources: { listChanged: true, subscribe: true } } : {}),
			...(prompts ? { prompts: { listChanged: true } } : {}),
			...(prompts || templates ? { completions: {} } : {}),
			logging: {},
		};
	}

	listTools(): readonly Tool[] {
		return this.#tools;
	}

	callTool(
		{ name, arguments: input }: CallToolParams,
		context: CallContext,
	): Awaitable<CallToolResult | InputRequired> {
		const tool = ownEntry(this.#definition.tools, name);
		if (tool === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown tool: ${name}`);
		if (tool.inputSchema === undefined) return runTool(tool, input, context);
		return after(this.#validate(tool.inputSchema, input), (faults) =>
			faults.length === 0
				? runTool(tool, input, context)
				: failure(`Invalid arguments for ${name}: ${faults.join('; ')}`),
		);
	}

	listResources(): readonly Resource[] {
		return entriesOf(this.#definition.resources).map(([uri, { read: _read, ...rest }]) => ({
			uri,
			name: uri,
			...rest,
		}));
	}

	listResourceTemplates(): readonly ResourceTemplate[] {
		return entriesOf(this.#definition.templates).map(
			([uriTemplate, { read: _read, complete: _complete, ...rest }]) => ({
				uriTemplate,
				name: uriTemplate,
				...rest,
			}),
		);
	}

	readResource(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired> {
		const resource = ownEntry(this.#definition.resources, uri);
		if (resource) return after(resource.read(context), (value) => contentsOf(uri, resource.mimeType, value));
		const found = this.#templateFor(uri);
		if (found === undefined) throw resourceNotFound(uri);
		return after(found.template.read(found.variables, context), (value) => {
			if (value === undefined) throw resourceNotFound(uri);
			return contentsOf(uri, found.template.mimeType, value);
		});
	}

	listPrompts(): readonly Prompt[] {
		return entriesOf(this.#definition.prompts).map(([name, { get: _get, complete: _complete, ...rest }]) => ({
			name,
			...rest,
		}));
	}

	getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Awaitable<GetPromptResult | InputRequired> {
		const prompt = this.#prompt(name);
		for (const { name: argument, required } of prompt.arguments ?? []) {
			if (required && input[argument] === undefined) {
				throw new OrchestraError('bad_input', `missing required argument: ${argument}`);
			}
		}
		return after(prompt.get(input, context), (value) => {
			if (typeof value !== 'string') return value;
			const message = { role: 'user', content: { type: 'text', text: value } };
			return prompt.description === undefined
				? { messages: [message] }
				: { description: prompt.description, messages: [message] };
		});
	}

	complete({ ref, argument, context }: CompleteParams): Awaitable<CompleteResult> {
		if (ref.type === 'ref/prompt') {
			return after(
				this.#prompt(ref.name ?? '').complete?.(argument.name, argument.value, context) ?? [],
				completionOf,
			);
		}
		const template = ownEntry(this.#definition.templates, ref.uri ?? '');
		if (template === undefined)
			throw new OrchestraError('bad_input', `there is no template ${ref.uri ?? ''}`);
		return after(template.complete?.(argument.name, argument.value) ?? [], completionOf);
	}

	watchResource(): void {}

	onChange(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Tell every client of a change. */
	tell(change: Change): void {
		for (const listener of this.#listeners) listener(change);
	}

	#prompt(name: string): PromptDefinition {
		const prompt = ownEntry(this.#definition.prompts, name);
		if (prompt === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${name}`);
		return prompt;
	}

	#templateFor(uri: string): { template: TemplateDefinition; variables: Record<string, string> } | undefined {
		for (const [pattern, template] of entriesOf(this.#definition.templates)) {
			const variables = matchTemplate(pattern, uri);
			if (variables) return { template, variables };
		}
		return undefined;
	}
}

function runTool(
	tool: ToolDefinition,
	input: unknown,
	context: CallContext,
): Awaitable<CallToolResult | InputRequired> {
	try {
		// The schema, if there is one, has just been checked; the author of the tool knows the type.
		const outcome = tool.run(input as never, context);
		return outcome instanceof Promise ? outcome.then(resultOf, failureOf) : resultOf(outcome);
	} catch (error) {
		return failureOf(error);
	}
}

function resultOf(value: unknown): CallToolResult | InputRequired {
	if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
	// These two shapes are results already.
	if (isObject(value) && Array.isArray(value['content'])) return value as unknown as CallToolResult;
	if (isObject(value) && value['resultType'] === 'input_required') return value as unknown as InputRequired;
	if (value === undefined) return { content: [] };
	return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** A tool that throws has failed; an error with a JSON-RPC number of its own is the protocol's. */
function failureOf(error: unknown): CallToolResult {
	if (rpcErrorOf(error)) throw error;
	const hint = OrchestraError.is(error) ? error.hint : undefined;
	return failure(hint === undefined ? messageOf(error) : `${messageOf(error)}\n${hint}`);
}

function failure(text: string): CallToolResult {
	return { content: [{ type: 'text', text }], isError: true };
}

function contentsOf(
	uri: string,
	mimeType: string | undefined,
	value: string | Uint8Array | ReadResourceResult | InputRequired,
): ReadResourceResult | InputRequired {
	const head = mimeType === undefined ? { uri } : { uri, mimeType };
	if (typeof value === 'string') return { contents: [{ ...head, text: value }] };
	if (value instanceof Uint8Array)
		return { contents: [{ ...head, blob: Buffer.from(value).toString('base64') }] };
	return value;
}

function completionOf(values: string[]): CompleteResult {
	const total = values.length;
	return {
		completion: { values: values.slice(0, COMPLETION_VALUES), total, hasMore: total > COMPLETION_VALUES },
	};
}

export function resourceNotFound(uri: string): OrchestraError {
	return rpcError(rpcCodes.invalidParams, `Resource not found: ${uri}`, { uri });
}

/** Sorted, so that the same definition gives the same bytes. */
function entriesOf<T>(record: Readonly<Record<string, T>> | undefined): [string, T][] {
	return Object.entries(record ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Never `constructor` or the like. */
function ownEntry<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
	return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/* The provider of a definition: it validates inputs and outputs and builds the results. */
import { OrchestraError } from '../../errors.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import {
	type Awaitable,
	type CallToolResult,
	type CompleteResult,
	failure,
	type GetPromptResult,
	type Implementation,
	type InputRequired,
	isInputRequired,
	type ReadResourceResult,
	type Result,
} from '../../protocol/mcp-types.ts';
import { matchTemplate } from '../../protocol/uri-template.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { describeIssues, isStandardSchema, type StandardSchema } from '../../schema/standard-schema.ts';
import type { JsonObject } from '../../wire/json.ts';
import { ownEntry } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import type { CallContext } from '../server/call-context.ts';
import { after, answerBy, type CallAnswers } from '../server/methods.ts';
import type {
	Call,
	CallToolParams,
	Capability,
	Change,
	CompleteParams,
	GetPromptParams,
	Provider,
} from '../server/provider.ts';
import type { PromptDefinition, ServerDefinition, TemplateDefinition, ToolDefinition } from './definition.ts';
import { type DefinitionLists, listsOf } from './definition-lists.ts';
import { completionOf, contentsOf, failureOf, messagesOf, resultOf } from './definition-results.ts';

/** Checks a value against a JSON Schema; returns one sentence per fault. */
export type Validate = (schema: JsonObject, value: unknown, name: string) => Awaitable<string[]>;

/** The provider that `provide` makes from a definition. */
export class DefinitionProvider implements Provider {
	readonly info: Implementation;
	readonly #definition: ServerDefinition;
	readonly #validate: Validate;
	readonly #listeners = new Listeners<Change>();
	readonly #answers: CallAnswers = {
		'tools/call': (params, context) => this.#callTool(params, context),
		'prompts/get': (params, context) => this.#getPrompt(params, context),
		'resources/read': ({ uri }, context) => this.#readResource(uri, context),
		'completion/complete': (params) => this.#complete(params),
	};
	#lists: DefinitionLists;

	constructor(definition: ServerDefinition, validate: Validate) {
		const { tools: _t, resources: _r, templates: _m, prompts: _p, instructions: _i, ...info } = definition;
		this.#definition = definition;
		this.#validate = validate;
		this.info = info;
		this.#lists = listsOf(definition);
	}

	instructions(): string | undefined {
		return this.#definition.instructions;
	}

	get capabilities(): readonly Capability[] {
		const { tools, resources, templates, prompts } = this.#definition;
		return [
			...(tools ? ['tools' as const] : []),
			...(resources || templates ? ['resources' as const] : []),
			...(prompts ? ['prompts' as const] : []),
			...(prompts || templates ? ['completions' as const] : []),
		];
	}

	list(kind: ItemKind): readonly Item[] {
		return kind === 'skills' ? [] : this.#lists[kind];
	}

	request(call: Call): Awaitable<Result> {
		return answerBy(this.#answers, call);
	}

	#callTool(
		{ name, arguments: input }: CallToolParams,
		context: CallContext,
	): Awaitable<CallToolResult | InputRequired> {
		const tool = ownEntry(this.#definition.tools, name);
		if (tool === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown tool: ${name}`);
		return after(this.#check(tool.input ?? tool.inputSchema, input, 'arguments'), (checked) =>
			'value' in checked
				? this.#run(tool, checked.value, context)
				: failure(`Invalid arguments for ${name}: ${checked.faults.join('; ')}`),
		);
	}

	#readResource(uri: string, context: CallContext): Awaitable<ReadResourceResult | InputRequired> {
		const resource = ownEntry(this.#definition.resources, uri);
		if (resource) return after(resource.read(context), (value) => contentsOf(uri, resource.mimeType, value));
		const found = this.#templateFor(uri);
		if (found === undefined) throw resourceNotFound(uri);
		return after(found.template.read(found.variables, context), (value) => {
			if (value === undefined) throw resourceNotFound(uri);
			return contentsOf(uri, found.template.mimeType, value);
		});
	}

	#getPrompt(
		{ name, arguments: input }: GetPromptParams,
		context: CallContext,
	): Awaitable<GetPromptResult | InputRequired> {
		const prompt = this.#prompt(name);
		for (const { name: argument, required } of prompt.arguments ?? []) {
			if (required && input[argument] === undefined) {
				throw new OrchestraError('bad_input', `missing required argument: ${argument}`);
			}
		}
		return after(prompt.get(input, context), (value) => messagesOf(prompt.description, value));
	}

	#complete({ ref, argument, context }: CompleteParams): Awaitable<CompleteResult> {
		if (ref.type === 'ref/prompt') {
			return after(
				this.#prompt(ref.name ?? '').complete?.(argument.name, argument.value, context) ?? [],
				completionOf,
			);
		}
		const template = ownEntry(this.#definition.templates, ref.uri ?? '');
		if (template === undefined)
			throw new OrchestraError('bad_input', `Unknown resource template: ${ref.uri ?? ''}`);
		return after(template.complete?.(argument.name, argument.value) ?? [], completionOf);
	}

	subscribeResource(): void {}

	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	/** Notify clients of a change, after it was made to the definition. */
	notifyChange(change: Change): void {
		if (change.kind !== 'resource' && change.kind !== 'log') this.#lists = listsOf(this.#definition);
		this.#listeners.emit(change);
	}

	#run(
		tool: ToolDefinition,
		input: unknown,
		context: CallContext,
	): Awaitable<CallToolResult | InputRequired> {
		try {
			// The schema, if there is one, has just been checked; the type of the input comes from it.
			const outcome = tool.run(input as Record<string, unknown>, context);
			if (!(outcome instanceof Promise)) return this.#finish(tool, outcome);
			return outcome.then((value) => this.#finish(tool, value), failureOf);
		} catch (error) {
			return failureOf(error);
		}
	}

	#finish(tool: ToolDefinition, value: unknown): Awaitable<CallToolResult | InputRequired> {
		try {
			return this.#checked(tool, resultOf(value, declaredOutput(tool) !== undefined));
		} catch (error) {
			return failureOf(error); // the returned value is not JSON
		}
	}

	/** Output that does not match the declared schema is a failure. */
	#checked(
		tool: ToolDefinition,
		result: CallToolResult | InputRequired,
	): Awaitable<CallToolResult | InputRequired> {
		const schema = declaredOutput(tool);
		if (schema === undefined || isInputRequired(result) || result.isError === true) return result;
		return after(this.#check(schema, result.structuredContent, 'output'), (checked) =>
			'value' in checked
				? result
				: failure(`The output of the tool does not match its output schema: ${checked.faults.join('; ')}`),
		);
	}

	/** Check a value against either kind of schema. A Standard Schema may transform it. */
	#check(schema: unknown, value: unknown, name: string): Awaitable<Checked> {
		if (schema === undefined) return { value };
		// `listsOf` rejected everything else when the definition was read.
		const known = schema as JsonObject | StandardSchema;
		if (!isStandardSchema(known)) {
			return after(this.#validate(known, value, name), (faults) =>
				faults.length === 0 ? { value } : { faults },
			);
		}
		return after(known['~standard'].validate(value), (outcome) =>
			outcome.issues === undefined
				? { value: outcome.value }
				: { faults: describeIssues(outcome.issues, name) },
		);
	}

	#prompt(name: string): PromptDefinition {
		const prompt = ownEntry(this.#definition.prompts, name);
		if (prompt === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${name}`);
		return prompt;
	}

	#templateFor(uri: string): { template: TemplateDefinition; variables: Record<string, string> } | undefined {
		for (const [pattern, template] of this.#lists.matchers) {
			const variables = matchTemplate(pattern, uri);
			if (variables) return { template, variables };
		}
		return undefined;
	}
}

type Checked = { value: unknown } | { faults: string[] };

function declaredOutput(tool: ToolDefinition): unknown {
	return tool.output ?? tool.outputSchema;
}

/** The same error in every era. */
export function resourceNotFound(uri: string): OrchestraError {
	return rpcError(rpcCodes.invalidParams, `Resource not found: ${uri}`, { uri });
}

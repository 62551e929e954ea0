/* Check the structured result of a tool against the `outputSchema` of its last listing. */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Result, Tool } from '../../protocol/mcp-types.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';

export class OutputCheck {
	readonly #log: Log;
	#schemas: ReadonlyMap<string, JsonObject> = new Map();

	constructor(log: Log) {
		this.#log = log;
	}

	/** Remember the schemas of a list of tools. */
	learn(tools: readonly Tool[]): void {
		const pairs = tools.flatMap(({ name, outputSchema }) =>
			isObject(outputSchema) ? [[name, outputSchema] as const] : [],
		);
		this.#schemas = new Map(pairs);
	}

	/** The tools have changed: their schemas are unknown until the next listing. */
	forget(): void {
		this.#schemas = new Map();
	}

	/** Throws `bad_frame` when the tool has a schema and the result does not fit it. A failed call is not checked. */
	async assertValid(tool: string, result: Result): Promise<void> {
		const schema = this.#schemas.get(tool);
		if (schema === undefined || result['isError'] === true) return;
		const faults =
			result['structuredContent'] === undefined
				? ['structuredContent is missing']
				: await this.#faults(tool, schema, result['structuredContent']);
		if (faults.length === 0) return;
		throw new OrchestraError(
			'bad_frame',
			`the result of ${tool} does not fit its outputSchema: ${faults.join('; ')}`,
			{
				hint: 'Report this to the author of the server, or pass `checksOutput: false`.',
				data: { phase: 'call', tool, faults },
			},
		);
	}

	/** A schema that is broken itself is no fault of the result. */
	async #faults(tool: string, schema: JsonObject, value: unknown): Promise<string[]> {
		try {
			const { validate } = await import('../../schema/validate.ts');
			return await validate(schema, value, 'structuredContent');
		} catch (error) {
			this.#log.warn(`the outputSchema of ${tool} cannot be used: ${messageOf(error)}`);
			return [];
		}
	}
}

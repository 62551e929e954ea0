/*
 * An elicitation of a server on the terminal: one line for each field of its form.
 *
 * The terminal stays in line mode, so that Ctrl-C ends the command as usual. End of
 * input (Ctrl-D) declines. Strings of the server are untrusted and are escaped.
 */

import { createInterface, type Interface } from 'node:readline';
import { OrchestraError } from '../../errors.ts';
import { printable, printableLine } from '../../printable.ts';
import type { ElicitResult } from '../../protocol/client-methods.ts';
import { abortable } from '../../rpc/abortable.ts';
import { propertiesOf, requiredOf } from '../../schema/schema-types.ts';
import { type Parameter, parametersOf } from '../../schema/tool-signature.ts';
import { inputFromArgs } from '../../tool/input.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { ANSWER_TRIES_LIMIT } from '../cli-limits.ts';
import { checkInput } from '../input/check-input.ts';
import type { AskOptions } from './ask-line.ts';

/** Ask on the terminal. `params` are those of `elicitation/create`; an elicitation that is no form is declined. */
export async function askForm(params: unknown, options: AskOptions): Promise<ElicitResult> {
	const { out } = options;
	const input = options.stdin();
	const { mode = 'form', message, requestedSchema } = isObject(params) ? params : {};
	const isOver = input.readableEnded || input.destroyed;
	if (mode !== 'form' || !isObject(requestedSchema) || isOver) return { action: 'decline' };
	const schema = requestedSchema as JsonObject; // it came out of a message
	out.warn(
		`${out.stderrStyle('cyan', '?')} ${printable(typeof message === 'string' ? message : 'The server asks:')}`,
	);
	const lines = new AnswerLines(options);
	try {
		const place = { schema, root: schema };
		if (propertiesOf(place).size === 0) return await confirm(lines);
		out.warn('  (an empty line leaves a field out, Ctrl-D declines)');
		const required = requiredOf(place);
		let content: JsonObject = {};
		for (const parameter of parametersOf(schema)) {
			const answered = await askField(lines, {
				parameter,
				schema,
				isRequired: required.includes(parameter.name),
			});
			if (answered === undefined) return { action: 'decline' };
			content = { ...content, ...answered };
		}
		return { action: 'accept', content: content as NonNullable<ElicitResult['content']> }; // checked field by field
	} finally {
		lines.close();
	}
}

async function confirm(lines: AnswerLines): Promise<ElicitResult> {
	const answer = await lines.ask('  [y/N] ');
	return /^y(es)?$/i.test(answer?.trim() ?? '') ? { action: 'accept', content: {} } : { action: 'decline' };
}

/** The field with its value, or nothing in it when it is left out; undefined to decline. */
async function askField(
	lines: AnswerLines,
	{ parameter, schema, isRequired }: { parameter: Parameter; schema: JsonObject; isRequired: boolean },
): Promise<JsonObject | undefined> {
	const { name, type, description, default: value } = parameter;
	if (description !== '') lines.print(`  ${description}`);
	const usual = value === undefined ? '' : ` [${value}]`;
	for (let count = 0; count < ANSWER_TRIES_LIMIT; count++) {
		const answer = await lines.ask(
			`  ${printableLine(`${name} (${type})${isRequired ? '' : ', optional'}${usual}`)}: `,
		);
		if (answer === undefined) return undefined;
		if (answer === '' && value !== undefined) return { [name]: JSON.parse(value) };
		if (answer === '' && !isRequired) return {};
		const wrong = problemOf(`${name}=${answer}`, schema);
		if (!(wrong instanceof OrchestraError)) return wrong;
		lines.print(`  ${wrong.message}`);
	}
	return undefined;
}

/** The value of the argument, or what is wrong with it. */
function problemOf(arg: string, schema: JsonObject): JsonObject | OrchestraError {
	const values = inputFromArgs([arg], schema);
	const { required: _, ...oneField } = schema;
	try {
		checkInput({ tool: 'form', schema: oneField, values });
		return values;
	} catch (error) {
		if (!OrchestraError.is(error, 'bad_input')) throw error;
		return error;
	}
}

/** Prompts and answers, a line each. */
class AnswerLines {
	readonly #options: AskOptions;
	readonly #reader: Interface;
	readonly #answers: AsyncIterator<string>;

	constructor(options: AskOptions) {
		this.#options = options;
		this.#reader = createInterface({ input: options.stdin(), terminal: false });
		// It buffers lines that are typed ahead.
		this.#answers = this.#reader[Symbol.asyncIterator]();
	}

	print(text: string): void {
		this.#options.out.warn(printable(text));
	}

	/** The next line; undefined at the end of input. Throws when the command is canceled. */
	async ask(label: string): Promise<string | undefined> {
		const { out, signal } = this.#options;
		out.live(label);
		const { value, done } = await abortable(() => this.#answers.next(), signal);
		return done ? undefined : value;
	}

	close(): void {
		this.#reader.close();
	}
}

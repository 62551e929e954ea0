/*
 * The program of a plan: the body of an async function, in TypeScript or JavaScript.
 *
 * Its types are removed, not checked. What is left runs on other columns than it was written on, so a place
 * is looked up in the source map before it is shown. All of it happens in the thread of the plan: a parser tries
 * some strings in more ways than a user can wait for.
 */
import { SourceMap } from 'node:module';
import { OrchestraError } from '../../errors.ts';
import { isObject } from '../../wire/json.ts';

/** The name of the program in its stacks. */
export const PLAN_FILE = 'plan.ts';
/** Lines before the first one of the program. */
const LINES_BEFORE = 1;

/** Where something is in a program. Both count from 1. */
export interface Place {
	readonly line: number;
	readonly column: number;
}

/** A program that can run. */
export interface CompiledProgram {
	/** JavaScript that evaluates to a function of the input. */
	readonly script: string;
	/** Its lines. */
	readonly lines: readonly string[];
	/** The place in the program as it was written, of a place in `script`. */
	readonly placeOf: (place: Place) => Place;
}

/** Throws `bad_input` with line and column for what is no program. */
export async function compileProgram(code: string): Promise<CompiledProgram> {
	const { transform } = await optional(import('sucrase'));
	// The mark at the start of a file is no column.
	const wrapped = `(async (input) => {\n${code.replace(/^\uFEFF/, '')}\n})`;
	let compiled: ReturnType<typeof transform>;
	try {
		compiled = transform(wrapped, {
			transforms: ['typescript'],
			disableESTransforms: true,
			keepUnusedImports: true,
			filePath: PLAN_FILE,
			sourceMapOptions: { compiledFilename: PLAN_FILE },
		});
	} catch (thrown) {
		throw syntaxError(thrown);
	}
	const { code: script, sourceMap } = compiled;
	// The two types of a source map differ in what may be absent.
	const map = new SourceMap(sourceMap as unknown as ConstructorParameters<typeof SourceMap>[0]);
	return {
		script,
		lines: script.split('\n'),
		placeOf: ({ line, column }) => {
			const found = map.findEntry(line - 1, column - 1);
			const isFound = 'originalLine' in found;
			const at = isFound ? found.originalLine + 1 : line;
			const shift = isFound && found.generatedLine === line - 1 ? column - 1 - found.generatedColumn : 0;
			return {
				line: Math.max(1, at - LINES_BEFORE),
				column: isFound ? found.originalColumn + shift + 1 : column,
			};
		},
	};
}

/** `line 3, column 14`. */
export function placeText({ line, column }: Place): string {
	return `line ${line}, column ${column}`;
}

/**
 * The first place of the program in a stack of the interpreter, as text; undefined when it has none. The interpreter counts
 * characters, all others count units of UTF-16.
 */
export function placeInStack(
	stack: string,
	{ lines, placeOf }: Pick<CompiledProgram, 'lines' | 'placeOf'>,
): string | undefined {
	const found = /\bplan\.ts:(\d{1,7}):(\d{1,7})/.exec(stack);
	if (found === null) return undefined;
	const [line, column] = [Number(found[1]), Number(found[2])];
	const before = Array.from((lines[line - 1] ?? '').slice(0, 2 * column))
		.slice(0, column - 1)
		.join('');
	return placeText(placeOf({ line, column: Math.max(column, before.length + 1) }));
}

function syntaxError(thrown: unknown): OrchestraError {
	const { loc, message } = Object(thrown) as { loc?: unknown; message?: unknown };
	const text = String(message)
		.replace(/ \(\d+:\d+\)$/, '')
		.replace(/^Error transforming [^:]*: /, '');
	const place =
		isObject(loc) && typeof loc['line'] === 'number' && typeof loc['column'] === 'number'
			? { line: Math.max(1, loc['line'] - LINES_BEFORE), column: loc['column'] }
			: undefined;
	const where = place === undefined ? '' : ` at ${placeText(place)}`;
	return new OrchestraError('bad_input', `the program has a mistake${where}: ${text}`, {
		hint: 'A plan is the body of an async function: statements, `await`, and `return` with the result.',
		data: place === undefined ? {} : { ...place },
	});
}

/** One of the optional packages. Rejects with `not_found` when it is not installed. */
export async function optional<T>(loading: Promise<T>): Promise<T> {
	try {
		return await loading;
	} catch (cause) {
		throw missingPackage(cause);
	}
}

/** The error when one of the optional packages is not installed. */
export function missingPackage(cause: unknown): OrchestraError {
	return new OrchestraError('not_found', 'plans need packages that are not installed', {
		hint: 'Install them: npm install quickjs-emscripten-core @jitl/quickjs-wasmfile-release-sync sucrase js-tokens',
		cause,
	});
}

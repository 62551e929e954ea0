/*
 * Parse untrusted YAML with limits on every dimension.
 *
 * The `yaml` package builds its values by recursion: a few kilobytes of `[` exhaust
 * the stack, and V8 then aborts the process. Its lexer and parser do not recurse, so
 * they run first: lexemes, depth and aliases are counted there, and only a bounded
 * tree is composed. Unique keys are checked here, because the check of the package is
 * quadratic. `docs/decisions/0010-bounded-parsing.md` has the reasons.
 */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import { NESTING_DEPTH } from '../core-limits.ts';
import { OrchestraError } from '../errors.ts';
import {
	MESSAGE_LIMIT_CHARACTERS,
	YAML_ALIAS_LIMIT,
	YAML_LEXEME_LIMIT,
	YAML_LIMIT_CHARACTERS,
	YAML_SHOWN_CHARACTERS,
	YAML_VALUE_LIMIT,
} from './files-limits.ts';
import { assertBounded, tooDeep } from './value-bounds.ts';

/** Entries on the parser's stack besides collections: the document and a scalar. */
const STACK_MARGIN = 2;

export interface YamlDocument {
	readonly document: Yaml.Document;
	readonly lines: Yaml.LineCounter;
	readonly yaml: typeof Yaml;
}

/** Parse a text to a value. Throws `bad_input` for invalid YAML or a text over a limit, with `data.line` if known. */
export function parseBoundedYaml(text: string): unknown {
	return boundedValue(composeBoundedYaml(text).document);
}

/**
 * Parse a text to nodes, to edit before `boundedValue`. Throws as `parseBoundedYaml` does. `merge` accepts `<<` as a
 * merge key in YAML 1.2 too.
 */
export function composeBoundedYaml(text: string, { merge = false } = {}): YamlDocument {
	if (text.length > YAML_LIMIT_CHARACTERS) throw bad(`longer than ${YAML_LIMIT_CHARACTERS} characters`);
	// Loaded on first use.
	const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml;
	assertBoundedTokens(yaml, text);
	const lines = new yaml.LineCounter();
	const settings = {
		lineCounter: lines,
		merge,
		logLevel: 'error',
		uniqueKeys: false,
		prettyErrors: false,
	} as const;
	const document = withCheapErrors(() => yaml.parseDocument(text, settings));
	const [error] = document.errors;
	if (error) throw syntaxError(error, lines);
	assertUniqueKeys(yaml, document, lines);
	return { document, lines, yaml };
}

/** The plain value of a document. Throws `bad_input` when aliases make it too deep or too large. */
export function boundedValue(document: Yaml.Document): unknown {
	const value: unknown = document.toJS({ maxAliasCount: YAML_ALIAS_LIMIT });
	assertBounded(value, { count: YAML_VALUE_LIMIT });
	return value;
}

/** Run the parts of the package that do not recurse. */
function assertBoundedTokens(yaml: typeof Yaml, text: string): void {
	const parser = new yaml.Parser();
	let lexemes = 0;
	let aliases = 0;
	for (const lexeme of new yaml.Lexer().lex(text)) {
		if (++lexemes > YAML_LEXEME_LIMIT) throw bad(`more than ${YAML_LEXEME_LIMIT} tokens`);
		if (lexeme.startsWith('*') && ++aliases > YAML_ALIAS_LIMIT)
			throw bad(`more than ${YAML_ALIAS_LIMIT} aliases`);
		for (const token of parser.next(lexeme)) assertTokenDepth(token);
		if (parser.stack.length > NESTING_DEPTH + STACK_MARGIN) throw tooDeep(NESTING_DEPTH);
	}
	for (const token of parser.end()) assertTokenDepth(token);
}

/** The parser's stack shows most of the depth; a key that turns out to be a map shows only here. */
function assertTokenDepth(root: Yaml.CST.Token): void {
	let level: Yaml.CST.Token[] = [root];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > NESTING_DEPTH + STACK_MARGIN) throw tooDeep(NESTING_DEPTH);
		level = level.flatMap(innerTokens);
	}
}

function innerTokens(token: Yaml.CST.Token): Yaml.CST.Token[] {
	if (token.type === 'document') return token.value ? [token.value] : [];
	if (!('items' in token)) return [];
	const inner: Yaml.CST.Token[] = [];
	for (const { key, value } of token.items) {
		if (key) inner.push(key);
		if (value) inner.push(value);
	}
	return inner;
}

/** The check of the package, but with a set: a map of 20,000 keys would take seconds. */
function assertUniqueKeys(yaml: typeof Yaml, document: Yaml.Document, lines: Yaml.LineCounter): void {
	yaml.visit(document, {
		Map: (_, map) => {
			const seen = new Set<unknown>();
			for (const { key } of map.items) {
				if (!yaml.isScalar(key)) continue;
				if (seen.has(key.value)) throw duplicateKey(key, lines);
				seen.add(key.value);
			}
		},
	});
}

function duplicateKey({ value, range }: Yaml.Scalar, lines: Yaml.LineCounter): OrchestraError {
	const { line } = lines.linePos(range?.[0] ?? 0);
	const key = JSON.stringify(String(value).slice(0, YAML_SHOWN_CHARACTERS));
	return bad(`Map keys must be unique: ${key} is repeated at line ${line}`, { line });
}

/** A broken file can have thousands of errors; a stack trace for each takes longer than parsing. */
function withCheapErrors<Result>(parse: () => Result): Result {
	const { stackTraceLimit } = Error;
	Error.stackTraceLimit = 0;
	try {
		return parse();
	} finally {
		Error.stackTraceLimit = stackTraceLimit;
	}
}

function syntaxError({ message, pos }: Yaml.YAMLParseError, lines: Yaml.LineCounter): OrchestraError {
	const { line, col } = lines.linePos(Math.max(0, pos[0]));
	const [sentence = ''] = message.slice(0, MESSAGE_LIMIT_CHARACTERS).split('\n');
	return bad(`${sentence} at line ${line}, column ${col}`, { line });
}

function bad(message: string, data: Readonly<Record<string, unknown>> = {}): OrchestraError {
	return new OrchestraError('bad_input', message, { hint: 'Correct the YAML.', data });
}

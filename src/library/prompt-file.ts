/*
 * A prompt: a markdown file with placeholders for arguments.
 *
 * `${name}`, `{{name}}` and `$ARGUMENTS` are replaced. A `${name}` that is no
 * argument stays as it is: prompts quote shell scripts.
 */
import { OrchestraError } from '../errors.ts';
import { isObject, ownEntry } from '../wire/json.ts';
import type { SourceFile } from './files/fragment.ts';
import { type Metadata, readFrontMatter } from './files/front-matter.ts';
import { LIST_LIMIT } from './files/library-limits.ts';
import { outlineOf } from './files/markdown.ts';
import { listOf, metadataText } from './files/metadata.ts';
import { fillPlaceholders, PLACEHOLDER } from './files/prompt-placeholders.ts';

export interface PromptArgument {
	name: string;
	description: string | undefined;
	required: boolean;
	/** Values that the author suggests, for completion. */
	values: readonly string[];
}

export interface LibraryPrompt {
	/** The name in the front matter or of the file; the list may qualify it. */
	name: string;
	title: string | undefined;
	description: string | undefined;
	arguments: readonly PromptArgument[];
	file: string;
	body: string;
}

/** The name under which `$ARGUMENTS` is listed when the author declared nothing. */
const ALL = 'arguments';

export function readPrompt({ file, text }: SourceFile): { prompt: LibraryPrompt; problems: string[] } {
	const problems: string[] = [];
	const { data, body, problem } = readFrontMatter(text);
	if (problem !== undefined) problems.push(problem);
	const outline = outlineOf(body);
	const inputs = data['arguments'] === undefined ? impliedArguments(body) : declared(data, problems);
	const paragraph = outline.firstParagraph.slice(0, 200);
	const prompt: LibraryPrompt = {
		name: metadataText(data, 'name', problems) ?? fileName(file),
		title: withoutPlaceholders(metadataText(data, 'title', problems) ?? outline.title, inputs),
		description: withoutPlaceholders(metadataText(data, 'description', problems) ?? paragraph, inputs),
		arguments: inputs,
		file,
		body,
	};
	return { prompt, problems };
}

/** A line of a list, before any argument is known: `Fix {{task}} now` is `Fix … now`. Undefined when nothing is left. */
function withoutPlaceholders(
	text: string | undefined,
	inputs: readonly PromptArgument[],
): string | undefined {
	if (text === undefined) return undefined;
	const known = new Set(inputs.map(({ name }) => name));
	const shown = fillPlaceholders(text, (name) => (name === undefined || known.has(name) ? '…' : undefined));
	return /[^…\s]/.test(shown) ? shown : undefined;
}

/** The text of a prompt with its arguments filled in. Throws `bad_input` naming a missing argument. */
export function fillPrompt(prompt: LibraryPrompt, given: Readonly<Record<string, string>>): string {
	for (const { name, required, description } of prompt.arguments) {
		if (required && own(given, name) === undefined) {
			throw new OrchestraError('bad_input', `Missing required argument: ${name}`, {
				hint: `Give it as ${name}=…${description === undefined ? '' : `: ${description}`}`,
				data: { prompt: prompt.name, argument: name },
			});
		}
	}
	const known = new Set([...prompt.arguments.map(({ name }) => name), ...Object.keys(given)]);
	const all = allArguments(prompt, given);
	return fillPlaceholders(prompt.body, (name) => {
		if (name === undefined) return all;
		return known.has(name) ? (own(given, name) ?? '') : undefined;
	});
}

/** Values in the order of declaration, then the undeclared ones as they came. */
function allArguments(prompt: LibraryPrompt, given: Readonly<Record<string, string>>): string {
	const names = new Set([...prompt.arguments.map(({ name }) => name), ...Object.keys(given)]);
	return [...names].flatMap((name) => own(given, name) ?? []).join(' ');
}

function own(given: Readonly<Record<string, string>>, name: string): string | undefined {
	return ownEntry(given, name);
}

function declared(data: Metadata, problems: string[]): PromptArgument[] {
	const value = data['arguments'];
	if (value === null) return [];
	if (!Array.isArray(value)) {
		problems.push('arguments is not a list');
		return [];
	}
	if (value.length > LIST_LIMIT)
		problems.push(`arguments has ${value.length} entries, the first ${LIST_LIMIT} are kept`);
	const entries = value.slice(0, LIST_LIMIT).flatMap((entry: unknown) => argumentOf(entry, problems));
	return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

function argumentOf(entry: unknown, problems: string[]): PromptArgument[] {
	if (typeof entry === 'string')
		return [{ name: entry, description: undefined, required: false, values: [] }];
	const name = isObject(entry) ? metadataText(entry, 'name', problems) : undefined;
	if (!isObject(entry) || name === undefined) {
		problems.push('an argument has no name');
		return [];
	}
	const description = metadataText(entry, 'description', problems);
	return [
		{ name, description, required: entry['required'] === true, values: listOf(entry, 'values', problems) },
	];
}

function impliedArguments(body: string): PromptArgument[] {
	const names = new Set<string>();
	for (const [, , braces, all] of body.matchAll(PLACEHOLDER)) {
		if (braces !== undefined) names.add(braces);
		else if (all !== undefined) names.add(ALL);
	}
	return [...names].map((name) => ({ name, description: undefined, required: false, values: [] }));
}

function fileName(file: string): string {
	return (file.split('/').at(-1) ?? file).replace(/\.[^.]+$/, '');
}

/*
 * One file of the resources folder as the library knows it. The text itself is
 * not cached: it is read again for each request, so memory grows with the
 * number of words and not with the size of the files.
 */
import { messageOf } from '../../errors.ts';
import { parseBoundedYaml } from '../../files/bounded-yaml.ts';
import { parseBoundedJson } from '../../files/value-bounds.ts';
import type { SearchDocument, SearchField } from '../../search/document.ts';
import { isObject } from '../../wire/json.ts';
import { estimateTokens } from '../match/tokens.ts';
import { fragmentUri } from '../uri.ts';
import { type Metadata, readFrontMatter } from './front-matter.ts';
import { DATA_PARSE_LIMIT_CHARACTERS, RANKED_LIMIT_CHARACTERS } from './library-limits.ts';
import { outlineOf } from './markdown.ts';
import { deriveMetadata, type FragmentMetadata, readMetadata } from './metadata.ts';

/** One resource file with its metadata. */
export interface Fragment {
	uri: string;
	/** Path from the resources folder without extension, with `/` on every system. */
	name: string;
	category: string;
	/** `id` of the front matter, else the name without its category. */
	id: string;
	title: string;
	description: string | undefined;
	tags: readonly string[];
	capabilities: readonly string[];
	useWhen: readonly string[];
	/** Tokens of the text, counted here; `estimatedTokens` of an author is ignored. */
	tokens: number;
	mimeType: string;
	/** Bytes of the file. */
	size: number;
	/** The file, relative to the root. */
	file: string;
}

export interface SourceFile {
	/** Relative to the root, with `/` on every system. */
	file: string;
	text: string;
	size: number;
}

export interface ReadFragment {
	fragment: Fragment;
	document: SearchDocument;
	/** The problems of the file, one clause each. */
	problems: string[];
}

/** The extensions that are resources, in the order in which they win over each other. */
export const mimeTypes: Readonly<Record<string, string>> = {
	'.md': 'text/markdown',
	'.json': 'application/json',
	'.yaml': 'application/yaml',
	'.yml': 'application/yaml',
};

/** How the fields of a fragment are ranked; the weightiest first. */
export const fragmentFields: Readonly<Record<string, SearchField>> = {
	title: { weight: 5, typicalWords: 6 },
	useWhen: { weight: 3.5, typicalWords: 16 },
	tags: { weight: 3, typicalWords: 6 },
	capabilities: { weight: 2.5, typicalWords: 16 },
	headings: { weight: 2, typicalWords: 12 },
	description: { weight: 1.5, typicalWords: 14 },
	name: { weight: 1.5, typicalWords: 4 },
	body: { weight: 1, typicalWords: 150 },
};

/** The extension of a file, lower case, dot included. */
export function extensionOf(file: string): string {
	return /\.[^./\\]+$/.exec(file)?.[0].toLowerCase() ?? '';
}

/** The fragment of a file, with metadata from its front matter or derived from its text. */
export function readFragment({ file, text, size }: SourceFile): ReadFragment {
	const extension = extensionOf(file);
	const name = file.slice(0, file.length - extension.length);
	const problems: string[] = [];
	const content = extension === '.md' ? readMarkdown(text, problems) : readData(text, extension, problems);
	const { id, title, description, tags, capabilities, useWhen } = content.metadata;
	const slash = name.indexOf('/');
	const fragment: Fragment = {
		uri: fragmentUri(name),
		name,
		category: name.slice(0, slash),
		id: id ?? name.slice(slash + 1),
		title: title ?? titleFromName(name),
		description,
		tags,
		capabilities,
		useWhen,
		tokens: estimateTokens(content.body),
		mimeType: mimeTypes[extension] ?? 'text/plain',
		size,
		file,
	};
	return { fragment, document: documentOf(fragment, content), problems };
}

interface Content {
	body: string;
	headings: string[];
	metadata: FragmentMetadata;
}

function readMarkdown(text: string, problems: string[]): Content {
	const { data, body, problem } = readFrontMatter(text);
	if (problem !== undefined) problems.push(problem);
	const outline = outlineOf(body);
	return {
		body,
		headings: outline.headings,
		metadata: deriveMetadata(readMetadata(data, problems), outline),
	};
}

function readData(text: string, extension: string, problems: string[]): Content {
	return { body: text, headings: [], metadata: readMetadata(dataOf(text, extension, problems), problems) };
}

function dataOf(text: string, extension: string, problems: string[]): Metadata {
	if (text.length > DATA_PARSE_LIMIT_CHARACTERS) return {};
	try {
		const value: unknown = extension === '.json' ? parseBoundedJson(text) : parseBoundedYaml(text);
		return isObject(value) ? value : {};
	} catch (error) {
		const [sentence = ''] = messageOf(error).split('\n');
		problems.push(`not valid ${extension === '.json' ? 'JSON' : 'YAML'}: ${sentence.replace(/:$/, '')}`);
		return {};
	}
}

function documentOf(fragment: Fragment, { body, headings }: Content): SearchDocument {
	const { uri, title, tags, capabilities, useWhen, description, name } = fragment;
	const ranked = body.slice(0, RANKED_LIMIT_CHARACTERS);
	const fields = { title, useWhen, tags, capabilities, headings, description, name, body: ranked };
	return { id: uri, fields };
}

function titleFromName(name: string): string {
	const title = (name.split('/').at(-1) ?? name).replace(/[-_.]+/g, ' ').trim();
	return title.charAt(0).toUpperCase() + title.slice(1);
}

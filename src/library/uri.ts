/*
 * The grammar of `orchestr8://` URIs.
 *
 * A URI is only ever compared with the URIs of files that were found in the
 * folder; no path of the machine is made from it. `..` in any encoding is
 * therefore just an unknown name.
 */
import { OrchestraError } from '../errors.ts';
import { decodePercent } from '../protocol/uri-template.ts';

const SCHEME = 'orchestr8://';
/** A path that encoding would not change. */
const PLAIN_PATH = /^[\w./~-]*$/;

export const REGISTRY_URI = 'orchestr8://registry';

export type ParsedUri =
	| { kind: 'registry' }
	| { kind: 'category'; category: string }
	| { kind: 'fragment'; name: string }
	| { kind: 'match'; category: string | undefined; parameters: ReadonlyMap<string, string> };

/** The URI of a file, from its path below the resources folder without extension. */
export function fragmentUri(name: string): string {
	return SCHEME + (PLAIN_PATH.test(name) ? name : name.split('/').map(encodeSegment).join('/'));
}

export function categoryUri(category: string): string {
	return SCHEME + encodeSegment(category);
}

/** The parsed URI; undefined for another scheme. */
export function parseUri(uri: string): ParsedUri | undefined {
	if (uri.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
	const [, path = '', query] = /^([^?#]*)(?:\?([^#]*))?/.exec(uri.slice(SCHEME.length)) ?? [];
	const segments = path.split('/').map(decodePercent);
	if (!segments.every(isName)) return undefined;
	if (query !== undefined) return matchUri(segments, query);
	if (segments.length > 1) return { kind: 'fragment', name: segments.join('/') };
	const [category = ''] = segments;
	if (category === 'match') return { kind: 'match', category: undefined, parameters: new Map() };
	return category === 'registry' ? { kind: 'registry' } : { kind: 'category', category };
}

function matchUri(segments: readonly string[], query: string): ParsedUri | undefined {
	const [first = '', second] = segments;
	const parameters = readParameters(query);
	if (segments.length === 1 && first === 'match') return { kind: 'match', category: undefined, parameters };
	if (segments.length === 2 && second === 'match') return { kind: 'match', category: first, parameters };
	return undefined;
}

/** Keys and values of a query string; the first of equal keys counts. */
function readParameters(query: string): ReadonlyMap<string, string> {
	const parameters = new Map<string, string>();
	for (const pair of query.split('&')) {
		if (pair === '') continue;
		const [key = '', ...rest] = pair.split('=');
		const name = decodeWord(key, key);
		if (!parameters.has(name)) parameters.set(name, decodeWord(rest.join('='), name));
	}
	return parameters;
}

function decodeWord(text: string, key: string): string {
	const word = decodePercent(text.replaceAll('+', ' '));
	if (word !== undefined) return word;
	throw new OrchestraError('bad_input', `parameter "${key}" is not valid percent-encoding`, {
		hint: 'Write a percent sign as %25.',
	});
}

function isName(segment: string | undefined): segment is string {
	return (
		segment !== undefined && segment !== '' && segment !== '.' && segment !== '..' && !/[/\\\0]/.test(segment)
	);
}

/** The same as `encodeURIComponent`, which throws on half a character pair: such a name gets its replacement. */
export function encodeSegment(segment: string): string {
	return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

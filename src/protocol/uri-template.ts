/* URI templates (RFC 6570): reading a URI by level 1 and `{+path}`, filling in by every operator. */
import { attempt } from '../errors.ts';
import { URI_TEMPLATE_MATCH_STEPS, URI_TEMPLATE_MATCHED_PARTS } from './protocol-limits.ts';

/**
 * The values of the variables when `uri` fits `template`; undefined when it does not. A variable takes as much as it
 * can. By hand and not by a regular expression: templates come from servers, and several variables backtrack.
 */
export function matchTemplate(template: string, uri: string): Record<string, string> | undefined {
	const parts = template.split(/(\{\+?\w+\})/).filter((part) => part !== '');
	const values = parts.length > URI_TEMPLATE_MATCHED_PARTS ? undefined : matchParts(parts, uri);
	if (values === undefined) return undefined;
	const valueOf = (text: string): string => decodePercent(text) ?? text; // an invalid escape stays as it is
	const names = parts.filter((part) => VARIABLE.test(part)).map((part) => part.replaceAll(/[{+}]/g, ''));
	return Object.fromEntries(names.map((name, index) => [name, valueOf(values[index] ?? '')]));
}

const VARIABLE = /^\{\+?\w+\}$/;
/** Characters that end the value of a variable without `+`. */
const SEPARATOR = /[/?#]/g;

/** The text of each variable. A place from which the rest does not fit is tried once. */
function matchParts(parts: readonly string[], uri: string): string[] | undefined {
	const failed = new Set<number>();
	const spans: [start: number, end: number][] = [];
	let steps = 0;
	const matchFrom = (part: number, at: number): boolean => {
		const expected = parts[part];
		if (expected === undefined) return at === uri.length;
		if (!VARIABLE.test(expected))
			return uri.startsWith(expected, at) && matchFrom(part + 1, at + expected.length);
		const key = part * (uri.length + 1) + at;
		if (failed.has(key)) return false;
		for (let end = lastEnd(uri, at, expected); end > at && steps++ < URI_TEMPLATE_MATCH_STEPS; end--) {
			if (!matchFrom(part + 1, end)) continue;
			spans.unshift([at, end]);
			return true;
		}
		failed.add(key);
		return false;
	};
	return matchFrom(0, 0) ? spans.map(([start, end]) => uri.slice(start, end)) : undefined;
}

function lastEnd(uri: string, at: number, variable: string): number {
	if (variable.startsWith('{+')) return uri.length;
	SEPARATOR.lastIndex = at;
	return SEPARATOR.exec(uri)?.index ?? uri.length;
}

const EXPRESSION = /\{([+#./;?&]?)([\w.,*-]+)\}/g;

/** The names of the variables of any level, each once. */
export function templateNames(template: string): string[] {
	return [...new Set([...template.matchAll(EXPRESSION)].flatMap(([, , names = '']) => namesOf(names)))];
}

/** The URI with these values, for expressions of any level; a variable without a value is left out. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
	return template.replaceAll(EXPRESSION, (_, operator: string, names: string) => {
		const encode = operator === '+' || operator === '#' ? encodeReserved : encodeURIComponent;
		const isNamed = /^[;?&]$/.test(operator);
		const parts = namesOf(names)
			.filter((name) => values[name])
			.map((name) => `${isNamed ? `${name}=` : ''}${encode(values[name] ?? '')}`);
		const [first = '', separator = ','] = SIGNS[operator] ?? [];
		return parts.length === 0 ? '' : `${first}${parts.join(separator)}`;
	});
}

/** What comes before the first value and between values, by operator. */
const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
	'#': ['#', ','],
	'.': ['.', '.'],
	'/': ['/', '/'],
	';': [';', ';'],
	'?': ['?', '&'],
	'&': ['&', '&'],
};

function namesOf(list: string): string[] {
	return list.split(',').map((name) => name.replace('*', ''));
}

/** Slashes and what is escaped already stay. */
function encodeReserved(value: string): string {
	return encodeURI(value).replaceAll(/%25([\da-f]{2})/gi, '%$1');
}

/** The same as `decodeURIComponent`, but undefined for an invalid escape. */
export function decodePercent(text: string): string | undefined {
	return attempt(() => decodeURIComponent(text));
}

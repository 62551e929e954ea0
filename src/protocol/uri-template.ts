/* URI templates (RFC 6570): reading a URI by level 1 and `{+path}`, filling in by every operator. */

/** The values of the variables when `uri` fits `template`; undefined when it does not. */
export function matchTemplate(template: string, uri: string): Record<string, string> | undefined {
	const names: string[] = [];
	const pattern = template.split(/(\{\+?\w+\})/).map((part) => {
		const variable = /^\{(\+?)(\w+)\}$/.exec(part);
		if (variable === null) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
		names.push(variable[2] ?? '');
		return variable[1] === '+' ? '(.+)' : '([^/?#]+)';
	});
	const match = new RegExp(`^${pattern.join('')}$`).exec(uri);
	if (match === null) return undefined;
	const valueOf = (text: string): string => decodePercent(text) ?? text; // an invalid escape is kept as it is
	return Object.fromEntries(names.map((name, index) => [name, valueOf(match[index + 1] ?? '')]));
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

/** As `decodeURIComponent`, but undefined for an invalid escape. */
export function decodePercent(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

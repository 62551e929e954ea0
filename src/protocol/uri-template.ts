/* Simple URI templates (RFC 6570, level 1): `notes://{id}`, `{+path}` for a value with slashes. */

const VARIABLE = /\{(\+?)(\w+)\}/g;

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

/** The names of the variables, each once. */
export function templateNames(template: string): string[] {
	return [...new Set([...template.matchAll(VARIABLE)].map(([, , name = '']) => name))];
}

/** The URI with these values; a variable without one is left out. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
	return template.replaceAll(VARIABLE, (_, operator: string, name: string) => {
		const value = values[name] ?? '';
		return operator === '+' ? encodeReserved(value) : encodeURIComponent(value);
	});
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

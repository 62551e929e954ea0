/* Simple URI templates (RFC 6570, level 1): `notes://{id}`, `{+path}` for a value with slashes. */

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
	return Object.fromEntries(names.map((name, index) => [name, decoded(match[index + 1] ?? '')]));
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text; // an invalid escape is kept as it is
	}
}

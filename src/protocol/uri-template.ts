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
	const valueOf = (text: string): string => decodePercent(text) ?? text; // an invalid escape is kept as it is
	return Object.fromEntries(names.map((name, index) => [name, valueOf(match[index + 1] ?? '')]));
}

/** As `decodeURIComponent`, but undefined for an invalid escape. */
export function decodePercent(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

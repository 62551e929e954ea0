/* Hold back changed tools of a server: the key `pin` of its entry. The rest of the file stays as it is. */
import { OrchestraError } from '../../errors.ts';
import { parseStdioUri } from '../../process/stdio-uri.ts';
import { isObject } from '../../wire/json.ts';
import type { ServerFile } from './editable-files.ts';
import { setJsonKey } from './json-edit.ts';

/** The text with `"pin": "quarantine"` at the server. Undefined when it has it already. */
export function quarantineEdit({ text, servers, path }: ServerFile, name: string): string | undefined {
	const entry = servers[name];
	if (isObject(entry))
		return entry['pin'] === 'quarantine'
			? undefined
			: setJsonKey(text, ['mcpServers', name, 'pin'], 'quarantine');
	if (typeof entry === 'string') {
		// A `stdio:` URI has no room for a key.
		const { command, args } = parseStdioUri(entry);
		return setJsonKey(text, ['mcpServers', name], { command, args, pin: 'quarantine' });
	}
	throw new OrchestraError('bad_input', `the entry of ${name} in ${path} is neither an object nor a URI`, {
		hint: `Correct it, or remove it: mctl remove ${name}`,
	});
}

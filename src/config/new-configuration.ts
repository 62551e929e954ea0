/* The text of a new configuration file, with comments that show what else it takes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the schema in an installed package. */
const INSTALLED = './node_modules/orchestra-hub/orchestra.schema.json';
const PUBLISHED = 'https://unpkg.com/orchestra-hub/orchestra.schema.json';

/** The `$schema` of a file in this folder, for editors. */
function schemaOfFile(folder: string): string {
	return existsSync(join(folder, INSTALLED)) ? INSTALLED : PUBLISHED;
}

/** The text of a new file in this folder that has nothing but its `$schema`. */
export function emptyConfigurationText(folder: string): string {
	return `{\n\t"$schema": "${schemaOfFile(folder)}"\n}\n`;
}

/** The text of a new file of the project in this folder. */
export function newConfigurationText(folder: string, servers: Readonly<Record<string, unknown>>): string {
	const indented = JSON.stringify(servers, null, '\t').replaceAll('\n', '\n\t');
	return `{
	"$schema": "${schemaOfFile(folder)}",

	// MCP servers, as in the .mcp.json of any client. \${VAR} and \${VAR:-default} are replaced.
	"mcpServers": ${indented},

	// Values for tools: a tool sees the keys it declares. Tools are looked for in ./tools;
	// "roots" names other folders, and "examples": true adds the bundled examples.
	"tools": { "config": {} },

	// Folders of markdown that become prompts and resources.
	// "library": { "prompts": "./prompts", "resources": "./resources" },

	// Programs that speak orchestra.plugin.v1.
	// "plugins": [{ "id": "tools.features", "binary": "./bin/tools-features" }],

	"limits": { "requestMs": 30000 }
}
`;
}

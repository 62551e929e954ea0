/* The text of a new configuration file, with comments that show what else it takes. */

export function newConfigurationText(servers: Readonly<Record<string, unknown>>): string {
	const indented = JSON.stringify(servers, null, '\t').replaceAll('\n', '\n\t');
	return `{
	// MCP servers, as in the .mcp.json of any client. \${VAR} and \${VAR:-default} are put in.
	"mcpServers": ${indented},

	// What tools may be told: a tool sees the keys it declares. Tools are looked for in ./tools;
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

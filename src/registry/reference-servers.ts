/* The reference servers of the MCP project. The official registry does not list them, so their entries are here. */
import { readServerRecord, type ServerRecord } from './server-record.ts';

interface Reference {
	readonly description: string;
	readonly registryType: 'npm' | 'pypi';
	readonly identifier: string;
	readonly version: string;
	readonly packageArguments?: readonly object[];
	readonly environmentVariables?: readonly object[];
}

const references: Readonly<Record<string, Reference>> = {
	filesystem: {
		description: 'Read, write, move and search files below the folders that are named',
		registryType: 'npm',
		identifier: '@modelcontextprotocol/server-filesystem',
		version: '2026.8.31',
		packageArguments: [
			{
				type: 'positional',
				valueHint: 'folder',
				format: 'filepath',
				isRequired: true,
				isRepeated: true,
				description: 'A folder that it may use',
			},
		],
	},
	memory: {
		description: 'A knowledge graph in a file, for what an agent should remember',
		registryType: 'npm',
		identifier: '@modelcontextprotocol/server-memory',
		version: '2026.8.31',
		environmentVariables: [
			{ name: 'MEMORY_FILE_PATH', format: 'filepath', description: 'The file of the graph' },
		],
	},
	'sequential-thinking': {
		description: 'A notebook for reasoning step by step',
		registryType: 'npm',
		identifier: '@modelcontextprotocol/server-sequential-thinking',
		version: '2026.8.31',
	},
	everything: {
		description: 'Every feature of MCP once, to try a client with',
		registryType: 'npm',
		identifier: '@modelcontextprotocol/server-everything',
		version: '2026.8.31',
	},
	git: {
		description: 'Read, search and change git repositories',
		registryType: 'pypi',
		identifier: 'mcp-server-git',
		version: '2026.10.19',
		packageArguments: [
			{
				type: 'named',
				name: '--repository',
				format: 'filepath',
				description: 'The repository that it may use',
			},
		],
	},
	fetch: {
		description: 'Fetch pages of the web and turn them into text',
		registryType: 'pypi',
		identifier: 'mcp-server-fetch',
		version: '2026.10.24',
	},
	time: {
		description: 'The time in a time zone, and conversions between them',
		registryType: 'pypi',
		identifier: 'mcp-server-time',
		version: '2026.10.19',
		packageArguments: [{ type: 'named', name: '--local-timezone', description: 'Such as Europe/Vienna' }],
	},
};

/** The namespace of the built-in entries. */
export const REFERENCE_SPACE = 'reference';

/** The entries that are built in, by their short names. */
export function referenceServers(): ReadonlyMap<string, ServerRecord> {
	return new Map(Object.entries(references).map(([name, reference]) => [name, recordOf(name, reference)]));
}

function recordOf(name: string, { description, version, ...item }: Reference): ServerRecord {
	const server = {
		name: `${REFERENCE_SPACE}/${name}`,
		description,
		version,
		repository: { url: 'https://github.com/modelcontextprotocol/servers' },
		packages: [{ ...item, version, transport: { type: 'stdio' } }],
	};
	return readServerRecord({ server });
}

/*
 * Agents by the name in their `clientInfo`, and what is known about each: what a model reads, and
 * how often it may repeat itself, is limited by default for these alone.
 */

/** How long the first lists of a client wait, in milliseconds. */
export interface FirstWait {
	readonly waitMs: number;
	/** When a client that may search gets its search tools, because it works without ours until then. */
	readonly searchMs?: number;
}

interface KnownAgent {
	/** The limit of the agent itself for a result, in tokens. */
	readonly resultTokens?: number;
	/** True for an agent that ignores `list_changed`, and so works with its first lists for the whole session. */
	readonly firstWait?: FirstWait;
}

/**
 * Codex caches the first list (github.com/openai/codex issues 10105, 33266, 35583, 37417). Older versions give a server
 * 10 s for `initialize` and this list together (`DEFAULT_STARTUP_TIMEOUT` in mcp_connection_manager.rs). Codex 0.166 sends
 * its first request to the model 1 s after it started us, without the tools of a server that has not listed them.
 */
const codexWait: FirstWait = { waitMs: 7000, searchMs: 500 };

/** Cursor reads the tools again only when its user asks for it (github.com/cursor/cursor issue 2980); its deadline is not known. */
const cursorWait: FirstWait = { waitMs: 8000 };

/** Agents about which nothing more is known; names as in the register of github.com/apify/mcp-client-capabilities. */
const others: readonly string[] = [
	'@librechat/api-client',
	'amp-mcp-client',
	'antigravity-.*',
	'ChatGPT',
	'Cherry Studio',
	'claude-ai',
	'Cline',
	'com\\.raycast\\.macos',
	'continue-.*client',
	'copilot-cli',
	'crush',
	'factory-cli',
	'GitHub Copilot CLI',
	'github-copilot-.*',
	'goose.*',
	'Jan-Streamable-Client',
	'JetBrains.*',
	'Kilo[ -]Code',
	'Kimi[ -]Code',
	'Kiro.*',
	'lobehub-mcp-client',
	'Mistral',
	'opencode',
	'Q-DEV-CLI',
	'qwen-(cli-mcp-client|code).*',
	'Roo[ -]Code',
	'Visual[ -]Studio[ -]Code.*',
	'windsurf.*',
	'Xcode-copilot-xcode',
	'Zed',
];

const agents: readonly (readonly [name: RegExp, agent: KnownAgent])[] = [
	// 2.1 writes more than 50,000 characters to a file and shows 2 kB of them; MAX_MCP_OUTPUT_TOKENS was 25,000 tokens before that
	[/^claude-code$/, { resultTokens: 12_500 }],
	// 0.169 has 10,000 tokens for each model that it knows; openai/codex issues 6544, 7906, 14466
	[/^(codex-mcp-client|codex)$/i, { resultTokens: 10_000, firstWait: codexWait }],
	// 4,000,000 characters; google-gemini/gemini-cli issue 17037
	[/^gemini-cli-mcp-client/, { resultTokens: 1_000_000 }],
	[/^(cursor-vscode|cursor)$/i, { firstWait: cursorWait }],
	[new RegExp(`^(${others.join('|')})$`, 'i'), {}],
];

/** The row of a client that passes what it reads to a model; undefined for any other. */
export function agentNamed(client: string): KnownAgent | undefined {
	return agents.find(([name]) => name.test(client))?.[1];
}

/** Whether a user calls by hand with this client, and reads the results. */
export function isUser(client: string): boolean {
	return client === 'mctl' || client === 'dashboard';
}

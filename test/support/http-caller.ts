/* An MCP client over HTTP with a name of its own, for calls that somebody else makes. */

export class HttpCaller {
	readonly #url: string;
	readonly #headers: Record<string, string>;
	#last = 0;

	private constructor(url: string, headers: Record<string, string>) {
		this.#url = url;
		this.#headers = headers;
	}

	static async connect(origin: string, token: string, name: string): Promise<HttpCaller> {
		const headers = {
			authorization: `Bearer ${token}`,
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
		};
		const caller = new HttpCaller(`${origin}/mcp`, headers);
		const response = await caller.#post('initialize', {
			protocolVersion: '2025-11-25',
			capabilities: {},
			clientInfo: { name, version: '1' },
		});
		headers['mcp-session-id' as keyof typeof headers] = response.headers.get('mcp-session-id') ?? '';
		await response.text();
		return caller;
	}

	/** The text of the reply. */
	async listTools(): Promise<string> {
		return (await this.#post('tools/list', {})).text();
	}

	/** The text of the reply. */
	async callTool(name: string, input: object = {}): Promise<string> {
		return (await this.#post('tools/call', { name, arguments: input })).text();
	}

	#post(method: string, params: object): Promise<Response> {
		const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#last, method, params });
		return fetch(this.#url, { method: 'POST', headers: this.#headers, body });
	}
}

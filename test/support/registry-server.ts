/* A registry of MCP servers (API v0.1) on this machine, with the entries of a test. What it answers is checked against the published API. */
import { type RawServer, serveRaw } from './http-server.ts';
import { assertAnswer } from './registry-api.ts';

export interface ListedServer {
	readonly name: string;
	readonly version: string;
	readonly [member: string]: unknown;
}

export interface LocalRegistry extends RawServer {
	/** What it lists; a test may change it. */
	readonly servers: ListedServer[];
	/** `_meta` of each entry by name; active by default. */
	readonly status: Map<string, { status: string; statusMessage?: string }>;
}

/** Serve these entries page by page. Stopped at the end of the test. */
export async function startRegistry(...entries: ListedServer[]): Promise<LocalRegistry> {
	const servers = [...entries];
	const status = new Map<string, { status: string; statusMessage?: string }>();
	const answerOf = (server: ListedServer): object => ({
		server: { description: `The server ${server.name}`, ...server },
		_meta: {
			'io.modelcontextprotocol.registry/official': {
				status: 'active',
				statusChangedAt: '2026-01-01T00:00:00Z',
				publishedAt: '2026-01-01T00:00:00Z',
				updatedAt: '2026-01-01T00:00:00Z',
				isLatest: true,
				...status.get(server.name),
			},
		},
	});
	const raw = await serveRaw(({ path }, response) => {
		const url = new URL(path, 'http://registry');
		const send = (code: number, body: object): void => {
			response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		};
		const [, encoded, wanted] = /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(url.pathname) ?? [];
		if (encoded !== undefined) {
			const named = servers.filter(({ name }) => name === decodeURIComponent(encoded));
			const found =
				named.find(({ version }) => version === wanted) ?? (wanted === 'latest' ? named.at(-1) : undefined);
			if (found === undefined) return send(404, { error: 'Server not found' });
			assertAnswer('ServerResponse', answerOf(found));
			return send(200, answerOf(found));
		}
		const search = url.searchParams.get('search') ?? '';
		const limit = Number(url.searchParams.get('limit') ?? 30);
		const from = Number(url.searchParams.get('cursor') ?? 0);
		const found = servers.filter(({ name }) => name.includes(search));
		const page = found.slice(from, from + limit);
		const isLast = from + limit >= found.length;
		const metadata = { count: page.length, ...(isLast ? {} : { nextCursor: String(from + limit) }) };
		const answer = { servers: page.map(answerOf), metadata };
		assertAnswer('ServerList', answer);
		return send(200, answer);
	});
	return Object.assign(raw, { servers, status, url: new URL(raw.url).origin });
}

/** An npm package that speaks on stdio. */
export function npmPackage(identifier: string, version: string, more: object = {}): object {
	return { registryType: 'npm', identifier, version, transport: { type: 'stdio' }, ...more };
}

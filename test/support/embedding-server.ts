/* An endpoint of the OpenAI form whose vectors a test chooses. */
import type { ServerResponse } from 'node:http';
import { type RawServer, serveRaw } from './http-server.ts';

export interface EmbeddingServer {
	readonly url: string;
	/** The texts of each request, in order. */
	readonly asked: string[][];
	/** The headers of the last request. */
	readonly server: RawServer;
}

type Vectors = (texts: string[], response: ServerResponse) => unknown;

/** `answer` gives the list of vectors, or answers by itself and gives undefined. Stopped at the end of the test. */
export async function serveEmbeddings(answer: Vectors): Promise<EmbeddingServer> {
	const asked: string[][] = [];
	const server = await serveRaw(async ({ body }, response) => {
		const { input } = JSON.parse(body) as { input: string[] };
		asked.push(input);
		const vectors = await answer(input, response);
		if (vectors === undefined) return;
		const data = (vectors as unknown[]).map((embedding, index) => ({
			object: 'embedding',
			index,
			embedding,
		}));
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ object: 'list', data }));
	});
	return { url: `${new URL(server.url).origin}/v1`, asked, server };
}

/** Which of some words a text has: texts that share words are alike. */
export function wordVector(text: string, words: readonly string[]): number[] {
	return [0.1, ...words.map((word) => (text.toLowerCase().includes(word) ? 1 : 0))];
}

/* An HTTPS server with a certificate of an authority that nobody trusts. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { makeLeaf, newAuthority } from '../../src/link/certificates/x509.ts';

const DAY_MS = 86_400_000;

/** A certificate of an authority that nobody trusts, and its key, as PEM. */
export function selfSigned(): { key: string; cert: string } {
	const now = Date.now();
	const validity = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
	const { key, certificate } = makeLeaf('localhost', validity, newAuthority());
	return { key, cert: certificate };
}

export async function serveTls(): Promise<{ url: string; requests(): number }> {
	const { key, cert } = selfSigned();
	let requests = 0;
	const server = createServer({ key, cert }, (_request, response) => {
		requests++;
		response.end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, requests: () => requests };
}

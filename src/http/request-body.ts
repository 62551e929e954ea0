/*
 * The body of a request, read whole within a limit.
 *
 * Chunks are collected and joined once, so a large body costs linear time.
 */
import type { IncomingMessage } from 'node:http';

/** Why a body cannot be used; `closes` when the rest of it is not read. */
export interface BodyProblem {
	readonly status: 413 | 415;
	readonly message: string;
	readonly closes: true;
}

export type Body = { readonly text: string } | { readonly problem: BodyProblem } | undefined;

/** The body as text; undefined when the client disconnected before its end. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Body> {
	const wrongType = typeProblem(request.headers['content-type']);
	if (wrongType) return Promise.resolve({ problem: wrongType });
	if (Number(request.headers['content-length'] ?? 0) > limitBytes)
		return Promise.resolve({ problem: tooLong(limitBytes) });
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		let size = 0;
		request.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= limitBytes) return void chunks.push(chunk);
			request.pause();
			request.removeAllListeners('data');
			resolve({ problem: tooLong(limitBytes) });
		});
		request.once('end', () => resolve({ text: textOf(chunks, size) }));
		request.once('error', () => resolve(undefined));
		request.once('close', () => resolve(undefined));
	});
}

function textOf(chunks: readonly Buffer[], size: number): string {
	const [only] = chunks;
	return (chunks.length === 1 && only ? only : Buffer.concat(chunks, size)).toString('utf8');
}

function typeProblem(type = ''): BodyProblem | undefined {
	if (/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type)) return undefined;
	const message = `the content type is "${type.slice(0, 80)}", not application/json`;
	return { status: 415, message, closes: true };
}

function tooLong(limitBytes: number): BodyProblem {
	return { status: 413, message: `the body is longer than ${limitBytes} bytes`, closes: true };
}

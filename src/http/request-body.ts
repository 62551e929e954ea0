/* The body of a request: JSON, read whole within a limit. */
import type { IncomingMessage } from 'node:http';
import { readBytes } from '../transport/http/read-bytes.ts';
import type { HttpRefusal } from './http-reply.ts';

export type Body = { readonly text: string } | { readonly problem: HttpRefusal } | undefined;

/** The body as text; undefined when the client disconnected before its end. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Body> {
	const wrongType = typeProblem(request.headers['content-type']);
	if (wrongType) return { problem: wrongType };
	if (Number(request.headers['content-length'] ?? 0) > limitBytes) return { problem: tooLong(limitBytes) };
	const onLong = (): void => {
		request.pause();
		request.removeAllListeners('data');
	};
	try {
		const bytes = await readBytes(request, limitBytes, onLong);
		return bytes ? { text: bytes.toString('utf8') } : { problem: tooLong(limitBytes) };
	} catch {
		return undefined; // the client is gone
	}
}

function typeProblem(type = ''): HttpRefusal | undefined {
	if (/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(type)) return undefined;
	const message = `the content type is "${type.slice(0, 80)}", not application/json`;
	return { status: 415, message, closes: true };
}

function tooLong(limitBytes: number): HttpRefusal {
	return { status: 413, message: `the body is longer than ${limitBytes} bytes`, closes: true };
}

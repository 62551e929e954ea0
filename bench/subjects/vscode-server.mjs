/* The echo server on `vscode-jsonrpc`, in its own framing (Content-Length headers). */
import {
	createMessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { answer, EchoError } from './echo-tool.mjs';

const connection = createMessageConnection(
	new StreamMessageReader(process.stdin),
	new StreamMessageWriter(process.stdout),
);
connection.onRequest((method, params) => {
	try {
		return answer(method, params);
	} catch (error) {
		if (error instanceof EchoError) return new ResponseError(error.code, error.message, error.data);
		throw error;
	}
});
connection.listen();

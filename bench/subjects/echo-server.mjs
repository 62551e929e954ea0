/* An MCP server with one tool, `echo`, on our library. Speaks both dialects, request by request. */
import { rpcError } from '../../dist/rpc/rpc-error.js';
import { serveStdio } from '../../dist/transport/index.js';
import { answer, EchoError } from './echo-tool.mjs';

const LIMIT_BYTES = 64 * 1024 * 1024;

await serveStdio({
	limitBytes: LIMIT_BYTES,
	onRequest: ({ method, params }) => {
		try {
			return answer(method, params);
		} catch (error) {
			throw error instanceof EchoError ? rpcError(error.code, error.message, error.data) : error;
		}
	},
});

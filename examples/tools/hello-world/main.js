/* The smallest complete tool: read one request, print events, set the exit code. No library. */
let toolId = 'hello-world';

function emit(type, payload) {
	process.stdout.write(`${JSON.stringify({ type, ts: new Date().toISOString(), toolId, payload })}\n`);
}

function fail(message, code) {
	emit('error', { message, code, recoverable: true });
	process.exitCode = 1;
}

let text = '';
process.stdin.on('data', (chunk) => (text += chunk));
process.stdin.on('end', () => {
	let request;
	try {
		request = JSON.parse(text);
	} catch {
		return fail('stdin is not a JSON request', 'BAD_REQUEST');
	}
	toolId = request.context?.toolId ?? toolId;
	emit('started', {});
	const name = request.input?.name ?? 'World';
	emit('log', { level: 'info', message: `Greeting ${name}` });
	emit('log', { level: 'debug', message: `The workspace is ${request.context?.workspaceRoot}` });
	emit('result', { message: `Hello, ${name}!`, toolId });
});

/* `orchestra-hub/stdio`: JSON values and JSON-RPC over pipes. Run with the argument `serve` it is the server of the example. */
import { ok } from 'node:assert/strict';
import {
	ChildTransport,
	type ChildTransportOptions,
	Client,
	type ClientOptions,
	Connection,
	type ConnectOptions,
	connect,
	type Diagnosis,
	type IncomingCall,
	type JsonValue,
	Log,
	memoryPair,
	methodNotFound,
	OrchestraError,
	Peer,
	type PeerOptions,
	parseStdioUri,
	type Receiver,
	type RequestOptions,
	type RpcErrorObject,
	rpcError,
	rpcErrorOf,
	type ServeOptions,
	type SpawnRecord,
	StdioTransport,
	type StdioTransportOptions,
	serveStdio,
	type Transport,
} from 'orchestra-hub/stdio';

const self: SpawnRecord = { command: process.execPath, args: [import.meta.filename, 'serve'] };

if (process.argv[2] === 'serve') await serve();
else if (process.argv[2] === 'echo') echo();
else await Promise.all([callProgram(), sendValues(), joinPeers()]);

/** A JSON-RPC server on stdin and stdout. */
async function serve(): Promise<void> {
	const options: ServeOptions = {
		drainMs: 1000,
		onRequest({ method, params }: IncomingCall): unknown {
			if (method === 'echo') return params;
			if (method === 'fail') throw rpcError(4000, 'it failed', { data: { retry: false } });
			throw methodNotFound(method);
		},
	};
	await serveStdio(options);
}

/** The transport below it: every message goes back. */
function echo(): void {
	const options: StdioTransportOptions = { limitBytes: 1_000_000 };
	const transport = new StdioTransport(options);
	transport.start({
		message: (text) => void transport.post(text),
		oversize: ({ limitBytes }) => process.stderr.write(`a line is longer than ${limitBytes} bytes\n`),
		end: () => void transport.close(),
	});
}

/** Start a program, call it, and read why a call failed. */
async function callProgram(): Promise<void> {
	const log = new Log('example', { level: 'error', format: 'text', write: () => {}, now: () => new Date() });
	const options: ClientOptions = { stderr: 'discard', log };
	const client = await Client.open(self, options);
	const request: RequestOptions = { timeoutMs: 30_000, signal: AbortSignal.timeout(60_000) };
	ok(JSON.stringify(await client.request('echo', { a: 1 }, request)) === '{"a":1}');

	const error = await client.request('fail').catch((thrown: unknown) => thrown);
	const answered: RpcErrorObject | undefined = rpcErrorOf(error);
	ok(OrchestraError.is(error, 'rpc') && answered?.code === 4000);

	await client.close();
	const diagnosis: Diagnosis = client.diagnose();
	ok(diagnosis.exitCode === 0);
}

/** JSON values without JSON-RPC: over the program of a URI, and over a transport that is already open. */
async function sendValues(): Promise<void> {
	const options: ConnectOptions = { stderr: 'discard' };
	const echoes = await connect('stdio:cat', options);
	const value: JsonValue = { foo: [1, 'two', null] };
	await echoes.send(value);
	ok(JSON.stringify(await echoes.recv()) === JSON.stringify(value));
	await echoes.close();

	const child: ChildTransportOptions = { stderr: 'discard' };
	const { command, args } = parseStdioUri(`stdio:${process.execPath} ${import.meta.filename} echo`);
	const connection = new Connection(await ChildTransport.open({ command, args }, child));
	await connection.send(value);
	for await (const received of connection) {
		ok(JSON.stringify(received) === JSON.stringify(value));
		break;
	}
	await connection.close();
}

/** Two peers in one process. A transport of your own implements `Transport`. */
async function joinPeers(): Promise<void> {
	const [left, right] = memoryPair();
	const sent: string[] = [];
	const observed: Transport = observe(left, (text) => sent.push(text));
	const options: PeerOptions = { onRequest: ({ params }) => params };
	const server = new Peer(right, options);
	right.start(server);
	const client = new Peer(observed);
	const receiver: Receiver = client;
	observed.start(receiver);
	ok((await client.request('add', [1, 2])) instanceof Array);
	ok(sent.length === 1);
	await left.close();
}

/** The channel, with a function that sees each message. */
function observe(transport: Transport, see: (text: string) => void): Transport {
	const post: Transport['post'] = transport.post.bind(transport);
	transport.post = (text, about) => {
		see(text);
		return post(text, about);
	};
	return transport;
}

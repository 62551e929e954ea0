/* The public API of Orchestra. Larger parts have subpaths of their own. */
export {
	methodNotFound,
	Peer,
	type PeerOptions,
	type RequestOptions,
	rpcError,
	rpcErrorOf,
} from './rpc/index.ts';
export {
	ChildTransport,
	Client,
	type ClientOptions,
	Connection,
	type ConnectOptions,
	connect,
	type ErrorCode,
	type JsonValue,
	Log,
	memoryPair,
	OrchestraError,
	type SpawnRecord,
	StdioTransport,
	serveStdio,
	type Transport,
} from './transport/index.ts';

/* The subpath `orchestra-hub/rpc`: JSON-RPC 2.0, both directions, over any channel. */
export { type ErrorCode, type ErrorDetails, OrchestraError } from '../errors.ts';
export { type JsonObject, type JsonValue, parseJson } from '../wire/json.ts';
export { type Id, type RpcErrorObject, rpcCodes } from '../wire/json-rpc.ts';
export { LineSplitter, type OversizeLine } from '../wire/lines.ts';
export type { Channel, Receiver } from './channel.ts';
export { type Clock, systemClock } from './clock.ts';
export { type Dialect, mcpDialect, plainDialect } from './dialect.ts';
export type { IncomingCall } from './incoming-call.ts';
export { REQUEST_TIMEOUT_MS, type RequestOptions } from './outgoing-calls.ts';
export { Peer, type PeerOptions } from './peer.ts';
export { methodNotFound, rpcError, rpcErrorOf } from './rpc-error.ts';

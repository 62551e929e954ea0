/* The subpath `orchestra-hub/stdio`: JSON messages over pipes, with no third-party code. */
export { type ErrorCode, type ErrorDetails, OrchestraError } from '../errors.ts';
export { Log, type LogLevel, type LogOptions } from '../log.ts';
export type { ChildOptions, ExitStatus, StderrPolicy } from '../process/child.ts';
export type { Diagnosis } from '../process/diagnosis.ts';
export type { SpawnRecord } from '../process/spawn-record.ts';
export { parseStdioUri } from '../process/stdio-uri.ts';
export type { Channel, Receiver } from '../rpc/channel.ts';
export type { JsonObject, JsonValue } from '../wire/json.ts';
export { LineSplitter, type OversizeLine } from '../wire/lines.ts';
export { MESSAGE_LIMIT_BYTES } from '../wire/wire-limits.ts';
export { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
export { Client, type ClientOptions } from './client.ts';
export { type ConnectOptions, connect } from './connect.ts';
export { Connection, type ConnectionOptions } from './connection.ts';
export { memoryPair } from './memory-transport.ts';
export { type ServeOptions, serveStdio } from './serve-stdio.ts';
export { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts';
export { HIGH_WATER_BYTES, type Transport } from './transport.ts';

/* The subpath `orchestra-hub/transport/http`: MCP servers over HTTP, of every revision. */
export type { Transport } from '../transport.ts';
export { type Challenge, parseChallenges } from './challenges.ts';
export type { HttpAuth, Unauthorized } from './http-auth.ts';
export type { HttpClientOptions } from './http-client-options.ts';
export { HttpClientTransport } from './http-client-transport.ts';
export { type HttpTransportOptions, openHttpTransport } from './open-http-transport.ts';

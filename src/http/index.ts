/* The subpath `orchestra-hub/http`: serve MCP over HTTP. */
export type { HttpLimits } from './http-limits.ts';
export { type HttpServing, type ServeHttpOptions, serveHttp } from './serve-http.ts';

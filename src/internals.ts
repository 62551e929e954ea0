/*
 * What tests, benchmarks and chaos scenarios use of the built files, beside the public exports.
 * It is no subpath of the package, and is not published.
 */
export { dial, listen } from './link/open-link.ts';
export { McpSession } from './mcp/server/mcp-session.ts';
export { FEATURES } from './plugin/features.ts';
export { servePlugin } from './plugin/server/plugin-server.ts';
export { HelperSpawner } from './process/spawn/helper-spawner.ts';
export { readToolAt } from './tool/discover.ts';
export { openHttpTransport } from './transport/http/open-http-transport.ts';
export { encodeFrame, FrameReader } from './wire/frame.ts';

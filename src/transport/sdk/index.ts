/* The subpath `orchestra-hub/sdk`: drop-in stdio transports for the official MCP SDK, 1.x and 2.x. */
export { OrchestraClientTransport, OrchestraServerTransport } from './sdk-transport.ts';

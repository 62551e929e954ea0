/* The provider of the conformance suite on stdio. */
import { serveProvider } from '../../dist/mcp/index.js';
import { provider } from './provider.mjs';

await serveProvider(provider);

/*
 * A complete MCP server in ten lines: every revision, over stdio, until the client
 * is gone.
 */
import { Log } from '../../log.ts';
import { validate } from '../../schema/validate.ts';
import { type ServeOptions, serveStdio } from '../../transport/serve-stdio.ts';
import { McpSession, type SharedState, sharedState } from '../server/mcp-session.ts';
import type { Provider } from '../server/provider.ts';
import { DefinedProvider } from './defined-provider.ts';
import type { ServerDefinition } from './definition.ts';

export interface ServeMcpOptions
	extends Pick<ServeOptions, 'limitBytes' | 'input' | 'output' | 'log' | 'drainMs'> {
	/** What this pipe shares with other pipes of the same server; whoever made it closes its parking. */
	shared?: SharedState;
}

/** Serve a definition on stdin and stdout. Resolves when everything is answered, flushed and closed. */
export function serve<
	const Inputs extends Record<string, unknown>,
	const Outputs extends Record<string, unknown>,
>(definition: ServerDefinition<Inputs, Outputs>, options: ServeMcpOptions = {}): Promise<void> {
	return serveProvider(provide(definition), options);
}

/** The provider of a definition, to serve it in another way or to tell of changes. */
export function provide<
	const Inputs extends Record<string, unknown>,
	const Outputs extends Record<string, unknown>,
>(definition: ServerDefinition<Inputs, Outputs>): DefinedProvider {
	// The provider checks every input against its schema before a handler gets it, so the types of the inputs are of no use to it.
	return new DefinedProvider(definition as unknown as ServerDefinition, validate);
}

/** Serve any provider on stdin and stdout. */
export async function serveProvider(provider: Provider, options: ServeMcpOptions = {}): Promise<void> {
	const log = options.log ?? Log.fromEnvironment(provider.info.name);
	const shared = options.shared ?? sharedState();
	const face = new McpSession(provider, { shared, log });
	await serveStdio({
		...options,
		...face.peerOptions,
		log,
		onStart: (peer) => face.connect(peer),
		onInputEnd: () => {
			face.close();
			if (options.shared === undefined) shared.parking.close();
		},
	});
}

/* Serve a definition or a provider as an MCP server over stdio, in every revision. */
import { Log } from '../../log.ts';
import { validate } from '../../schema/validate.ts';
import { type ServeOptions, serveStdio } from '../../transport/serve-stdio.ts';
import { McpSession, type SharedState, sharedState } from '../server/mcp-session.ts';
import type { Provider } from '../server/provider.ts';
import type { ServerDefinition } from './definition.ts';
import { DefinitionProvider } from './definition-provider.ts';

/** Options of `serve` and `serveProvider`. */
export interface ServeMcpOptions
	extends Pick<ServeOptions, 'limitBytes' | 'input' | 'output' | 'log' | 'drainMs' | 'signal'> {
	/** State shared with other sessions of the same server. The creator closes its `suspendedCalls`. Default: not shared. */
	shared?: SharedState;
}

/** Serve a definition on stdin and stdout. Resolves when everything is answered, flushed and closed. */
export function serve<
	const Inputs extends Record<string, unknown>,
	const Outputs extends Record<string, unknown>,
>(definition: ServerDefinition<Inputs, Outputs>, options: ServeMcpOptions = {}): Promise<void> {
	return serveProvider(provide(definition), options);
}

/** The provider of a definition, for `serveProvider` or to notify clients of changes. */
export function provide<
	const Inputs extends Record<string, unknown>,
	const Outputs extends Record<string, unknown>,
>(definition: ServerDefinition<Inputs, Outputs>): DefinitionProvider {
	// The provider checks every input against its schema at run time, so it does not need the input types.
	return new DefinitionProvider(definition as unknown as ServerDefinition, validate);
}

/** Serve any provider on stdin and stdout. */
export async function serveProvider(provider: Provider, options: ServeMcpOptions = {}): Promise<void> {
	const log = options.log ?? Log.fromEnvironment(provider.info.name);
	const shared = options.shared ?? sharedState();
	const session = new McpSession(provider, { shared, log });
	await serveStdio({
		...options,
		...session.peerOptions,
		log,
		onStart: (peer) => session.connect(peer),
		onInputEnd: () => {
			session.close();
			if (options.shared === undefined) shared.suspendedCalls.close();
		},
	});
}

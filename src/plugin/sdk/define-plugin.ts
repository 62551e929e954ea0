/*
 * The plugin SDK: from a definition to a whole plugin process.
 *
 *     await definePlugin({ id: 'tools.hello', version: '1.0.0', tools: { … } }).run();
 *
 * The process listens, prints `READY host:port` on stderr, registers with the
 * orchestrator if it has one, and serves until it is stopped.
 */
import { create, toJson } from '@bufbuild/protobuf';
import { OrchestraError } from '../../errors.ts';
import {
	certificatesFolder,
	checkName,
	loadIdentity,
	ORCHESTRATOR_NAME,
} from '../../link/certificates/certificates.ts';
import type { LinkListener } from '../../link/link.ts';
import type { LinkChoice } from '../../link/open-link.ts';
import { Log } from '../../log.ts';
import { deferred } from '../../rpc/deferred.ts';
import { Orchestrator } from '../client/orchestrator-client.ts';
import { PluginClient } from '../client/plugin-client.ts';
import { type PluginManifest, PluginManifestSchema } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import { SHUTDOWN_FLUSH_MS } from '../plugin-limits.ts';
import { servePlugin } from '../server/plugin-server.ts';
import type { PluginDefinition } from './plugin-definition.ts';
import { LINK_VARIABLE, type PluginFlags, parsePluginFlags } from './plugin-flags.ts';
import { pluginHandlers } from './plugin-handlers.ts';

/** A plugin that was started inside this process. */
export interface RunningPlugin {
	/** The address of its listener. */
	readonly address: string;
	/** Resolves when it has stopped. */
	readonly stopped: Promise<void>;
	stop(): Promise<void>;
}

/** A defined plugin. */
export interface Plugin {
	readonly manifest: PluginManifest;
	/** Run this process as the plugin until it is stopped. Default args: the command line. */
	run(args?: readonly string[]): Promise<void>;
	/** Start it inside this process, without signal handlers and output. */
	start(flags: PluginFlags & LinkChoice): Promise<RunningPlugin>;
}

/** Define a plugin. Throws `bad_input` for an id that cannot be the name of a certificate. */
export function definePlugin<
	const Inputs extends Record<string, unknown>,
	const StreamInputs extends Record<string, unknown>,
>(typed: PluginDefinition<Inputs, StreamInputs>): Plugin {
	// The input types are for the author of the handlers; here inputs are JSON objects.
	const definition = typed as unknown as PluginDefinition;
	checkName(definition.id);
	const manifest = manifestOf(definition);
	const start = (flags: PluginFlags & LinkChoice): Promise<RunningPlugin> =>
		startPlugin(definition, manifest, flags);
	return { manifest, start, run: (args = process.argv.slice(2)) => runPlugin(manifest, start, args) };
}

function manifestOf({
	id,
	version,
	description = '',
	author = '',
	...plugin
}: PluginDefinition): PluginManifest {
	return create(PluginManifestSchema, {
		language: 'typescript',
		...plugin.manifest,
		id,
		version,
		description,
		author,
		providesTools: [...Object.keys(plugin.tools ?? {}), ...Object.keys(plugin.streamingTools ?? {})],
		providesPrompts: Object.keys(plugin.prompts ?? {}),
		providesStorage: plugin.storage?.types ?? [],
	});
}

async function runPlugin(
	manifest: PluginManifest,
	start: (flags: PluginFlags & LinkChoice) => Promise<RunningPlugin>,
	args: readonly string[],
): Promise<void> {
	const log = Log.fromEnvironment(manifest.id);
	try {
		const flags = parsePluginFlags(args);
		if (flags.printsManifest) {
			const options = { useProtoFieldName: true, alwaysEmitImplicit: true };
			process.stdout.write(`${JSON.stringify(toJson(PluginManifestSchema, manifest, options))}\n`);
			return;
		}
		const running = await start({ ...flags, kind: linkKind(process.env[LINK_VARIABLE]) });
		process.stderr.write(`READY ${running.address}\n`);
		for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void running.stop());
		await running.stopped;
	} catch (thrown) {
		const { message, hint } = OrchestraError.from(thrown);
		log.error(hint === undefined ? message : `${message} (${hint})`);
		process.exitCode = 1;
	}
}

function linkKind(word: string | undefined): LinkChoice['kind'] {
	return word === 'quic' || word === 'tls' ? word : 'auto';
}

async function startPlugin(
	definition: PluginDefinition,
	manifest: PluginManifest,
	flags: PluginFlags & LinkChoice,
): Promise<RunningPlugin> {
	const folder = certificatesFolder(flags.certsDir);
	const { kind, orchestratorAddress } = flags;
	const connect =
		orchestratorAddress === undefined
			? undefined
			: async () => {
					const identity = await loadIdentity(folder, `${manifest.id}-client`);
					const peerName = ORCHESTRATOR_NAME;
					return PluginClient.connect({ address: orchestratorAddress, identity, peerName, kind });
				};
	const orchestrator = new Orchestrator(manifest, connect);
	const lifecycle = new PluginLifecycle(definition, orchestrator);
	const handlers = pluginHandlers(definition, { orchestrator, shutDown: () => lifecycle.shutDown() });
	const identity = await loadIdentity(folder, manifest.id);
	lifecycle.listener = await servePlugin({ address: flags.listenAddress, identity, handlers, kind });
	if (orchestrator.isAvailable) void lifecycle.keepRegistered();
	return { address: lifecycle.listener.address, stopped: lifecycle.stopped, stop: () => lifecycle.stop() };
}

class PluginLifecycle {
	listener: LinkListener | undefined;
	readonly stopped: Promise<void>;
	readonly #definition: PluginDefinition;
	readonly #orchestrator: Orchestrator;
	readonly #log: Log;
	#stopping: Promise<void> | undefined;
	#hook: Promise<boolean> | undefined;
	readonly #end = deferred();

	constructor(definition: PluginDefinition, orchestrator: Orchestrator) {
		this.#log = Log.fromEnvironment(definition.id);
		this.#definition = definition;
		this.#orchestrator = orchestrator;
		this.stopped = this.#end.promise;
	}

	/** Register with the orchestrator. A plugin that cannot reach it still serves. */
	async keepRegistered(): Promise<void> {
		try {
			const client = await this.#orchestrator.register();
			this.#log.info(`registered with the orchestrator at ${client.address}`);
		} catch (thrown) {
			this.#log.warn(`not registered with the orchestrator: ${OrchestraError.from(thrown).message}`);
		}
	}

	stop(): Promise<void> {
		this.#stopping ??= this.#stop();
		return this.#stopping;
	}

	/** Run the hook and stop shortly after, so that the response can be sent. True when the hook did not throw. */
	async shutDown(): Promise<boolean> {
		const isClean = await this.#runHook();
		setTimeout(() => void this.stop(), SHUTDOWN_FLUSH_MS);
		return isClean;
	}

	async #stop(): Promise<void> {
		await this.#runHook();
		await this.#orchestrator.close();
		await this.listener?.close();
		this.#end.resolve();
	}

	#runHook(): Promise<boolean> {
		this.#hook ??= (async () => this.#definition.onShutdown?.(this.#orchestrator))().then(
			() => true,
			(thrown: unknown) => {
				this.#log.error(`the shutdown hook failed: ${OrchestraError.from(thrown).message}`);
				return false;
			},
		);
		return this.#hook;
	}
}

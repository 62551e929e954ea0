/*
 * Start a plugin process, in any language, and complete its handshake.
 *
 * The program prints its address on stderr; then we connect, register it, boot it and
 * list its tools and prompts. If a step fails, the program is stopped and the error has
 * its last stderr lines. Supervision is done by the hub.
 */
import { OrchestraError } from '../../errors.ts';
import { loadIdentity } from '../../link/certificates/certificates.ts';
import type { LinkChoice } from '../../link/open-link.ts';
import type { Log } from '../../log.ts';
import { Child } from '../../process/child.ts';
import { exitReason, explainExit } from '../../process/diagnosis.ts';
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { within } from '../../rpc/clock.ts';
import { FEATURES } from '../features.ts';
import type { PromptDefinition, ToolDefinition } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import { READY_MS, SHUTDOWN_MS } from '../plugin-limits.ts';
import { LINK_VARIABLE } from '../sdk/plugin-flags.ts';
import { PluginClient } from './plugin-client.ts';
import { StderrLines } from './stderr-lines.ts';

/** The program of a plugin and how to start it. */
export interface PluginProgram
	extends LinkChoice,
		Pick<SpawnRecord, 'args' | 'env' | 'cwd' | 'sandbox' | 'limits'> {
	id: string;
	/** A program on PATH or a path. */
	binary: string;
	/** Passed to the plugin at boot. */
	config?: Readonly<Record<string, string>> | undefined;
	/** The address of the orchestrator for the plugin; empty for none. */
	orchestratorAddress: string;
	/** A sandboxed plugin may always use it. */
	certsDir: string;
	/** Receives every line that the plugin writes to stderr. */
	onLog?: ((line: string) => void) | undefined;
	/** Called with the process when it is spawned. */
	onStarted?: ((child: Child) => void) | undefined;
	/** Cancels the start. */
	signal?: AbortSignal | undefined;
	log?: Log | undefined;
}

/** A running plugin. */
export interface PluginProcess {
	readonly child: Child;
	readonly client: PluginClient;
	readonly tools: ToolDefinition[];
	readonly prompts: PromptDefinition[];
	/** Request a shutdown, then stop the process in any case. Idempotent. */
	stop(): Promise<void>;
}

/** Start and boot a plugin. Rejects with the exit status and the last stderr lines when it does not start. */
export async function startPluginProcess(program: PluginProgram): Promise<PluginProcess> {
	const stderr = new StderrLines(program.onLog);
	const child = await Child.start(recordOf(program), {
		stderr: (chunk) => stderr.push(chunk),
		log: program.log,
	});
	// stdout is not used; unread, a full pipe would block the plugin.
	child.stdout.resume();
	program.onStarted?.(child);
	let client: PluginClient | undefined;
	// Stopping the child makes the pending step fail with the reason.
	const stopListening = onAbort(program.signal, () => void child.stop().catch(() => {}));
	try {
		program.signal?.throwIfAborted();
		const address = await readyAddress(child, stderr, program.id);
		const identity = await loadIdentity(program.certsDir, `orchestrator-to-${program.id}`);
		const { id: peerName, kind } = program;
		client = await PluginClient.connect({ address, identity, peerName, kind, handshakeMs: READY_MS });
		return startedPlugin(child, client, await handshake(client, program));
	} catch (thrown) {
		await client?.close();
		await child.stop();
		throw startError(child, program.id, thrown);
	} finally {
		stopListening();
	}
}

type PluginLists = Pick<PluginProcess, 'tools' | 'prompts'>;

async function handshake(
	client: PluginClient,
	{ id, binary, args = [], config = {} }: PluginProgram,
): Promise<PluginLists> {
	const options = { timeoutMs: READY_MS };
	const manifest = { id, binary, args: [...args], features: [...FEATURES] };
	const registered = await client.ask({ case: 'register', value: manifest }, 'register', options);
	if (!registered.accepted)
		throw new OrchestraError('tool_failed', `${id} refused to register: ${registered.rejectReason}`);
	client.features = new Set(registered.features);
	const booted = await client.ask({ case: 'boot', value: { config: { ...config } } }, 'boot', options);
	if (!booted.ready)
		throw new OrchestraError('tool_failed', `${id} did not boot: ${booted.error || 'no reason given'}`);
	const [{ tools }, { response }] = await Promise.all([
		client.ask({ case: 'listTools', value: {} }, 'listTools', options),
		client.send({ request: { case: 'listPrompts', value: {} } }, options),
	]);
	// Older plugins do not support prompts.
	return { tools, prompts: response.case === 'listPrompts' ? response.value.prompts : [] };
}

function startedPlugin(child: Child, client: PluginClient, lists: PluginLists): PluginProcess {
	const shutdown = { case: 'shutdown', value: { timeoutSeconds: SHUTDOWN_MS / 1000 } } as const;
	const stop = async (): Promise<void> => {
		// It may be gone or stuck; the signals below end it in any case.
		await client.send({ request: shutdown }, { timeoutMs: SHUTDOWN_MS }).catch(() => {});
		await client.close();
		await child.stop();
	};
	let stopping: Promise<void> | undefined;
	return { child, client, ...lists, stop: () => (stopping ??= stop()) };
}

function recordOf({ binary, args = [], env, cwd, ...program }: PluginProgram): SpawnRecord {
	const flags = [
		`--orchestrator-addr=${program.orchestratorAddress}`,
		'--listen-addr=localhost:0',
		`--certs-dir=${program.certsDir}`,
	];
	const link = program.kind === undefined || program.kind === 'auto' ? {} : { [LINK_VARIABLE]: program.kind };
	const { limits, certsDir } = program;
	const sandbox = program.sandbox && { ...program.sandbox, write: [...program.sandbox.write, certsDir] };
	return { command: binary, args: [...args, ...flags], env: { ...link, ...env }, cwd, sandbox, limits };
}

async function readyAddress(child: Child, stderr: StderrLines, id: string): Promise<string> {
	const ended = child.exited.then(async () => {
		await child.lastStderrLines();
		throw new OrchestraError('closed', explainExit(child.diagnose()));
	});
	const address = await within(Promise.race([stderr.ready, ended]), READY_MS);
	if (address !== undefined) return address;
	throw new OrchestraError('timeout', `${id} did not print READY on stderr within ${READY_MS / 1000} s`);
}

function startError(child: Child, id: string, thrown: unknown): OrchestraError {
	const error = OrchestraError.from(thrown);
	const diagnosis = child.diagnose();
	const reason = exitReason(diagnosis);
	const isNew = reason !== undefined && !error.message.includes(reason);
	return new OrchestraError(error.code, `the plugin ${id} did not start: ${error.message}`, {
		cause: error,
		hint: error.hint ?? (isNew ? reason : undefined),
		data: { ...diagnosis, ...error.data },
	});
}

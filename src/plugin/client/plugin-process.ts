/*
 * Start one plugin program and shake hands with it, in any language.
 *
 * The program says on stderr where it listens; then we connect, register it, boot
 * it, and ask what it offers. Whatever goes wrong on the way, the program is
 * stopped again and the error tells its last words. Watching it and starting it
 * again is the hub's business.
 */

import { OrchestraError } from '../../errors.ts';
import { loadIdentity } from '../../link/certificates/certificates.ts';
import type { LinkChoice } from '../../link/open-link.ts';
import type { Log } from '../../log.ts';
import { Child } from '../../process/child.ts';
import { explainExit } from '../../process/diagnosis.ts';
import type { SpawnRecord } from '../../process/spawn-record.ts';
import { within } from '../../rpc/clock.ts';
import { FEATURES } from '../features.ts';
import type {
	PluginResponse,
	PromptDefinition,
	ToolDefinition,
} from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import { LINK_VARIABLE } from '../sdk/plugin-flags.ts';
import { PluginClient } from './plugin-client.ts';
import { StderrLines } from './stderr-lines.ts';

/** How long a plugin has until it says READY, and for each step of the handshake. */
export const READY_MS = 10_000;
/** How long a plugin has to answer `shutdown`. */
export const SHUTDOWN_MS = 5_000;

export interface PluginProgram extends LinkChoice {
	id: string;
	/** A program on PATH or a path. */
	binary: string;
	args?: readonly string[] | undefined;
	env?: Readonly<Record<string, string>> | undefined;
	cwd?: string | undefined;
	/** Handed over at boot. */
	config?: Readonly<Record<string, string>> | undefined;
	/** Where the plugin finds us. */
	orchestratorAddress: string;
	certsDir: string;
	/** Gets every line the plugin writes to stderr, for its whole life. */
	onLog?: ((line: string) => void) | undefined;
	/** Told of the process as soon as there is one. */
	onStarted?: ((child: Child) => void) | undefined;
	/** Aborted when it is not wanted any more, before it is up. */
	signal?: AbortSignal | undefined;
	log?: Log | undefined;
}

export interface PluginProcess {
	readonly child: Child;
	readonly client: PluginClient;
	readonly tools: ToolDefinition[];
	readonly prompts: PromptDefinition[];
	/** Ask it to shut down, then stop the process, whatever it says. Idempotent. */
	stop(): Promise<void>;
}

/** Start and boot a plugin. Rejects with its diagnosis when it does not come up. */
export async function startPluginProcess(program: PluginProgram): Promise<PluginProcess> {
	const stderr = new StderrLines(program.onLog);
	const child = await Child.start(recordOf(program), {
		stderr: (chunk) => stderr.push(chunk),
		log: program.log,
	});
	// A plugin has nothing to say on stdout; unread it would block there.
	child.stdout.resume();
	program.onStarted?.(child);
	let client: PluginClient | undefined;
	// Whatever waits for it then fails, and its failure is not hidden here.
	const giveUp = (): void => void child.stop().catch(() => {});
	program.signal?.addEventListener('abort', giveUp, { once: true });
	try {
		program.signal?.throwIfAborted();
		const address = await readyAddress(child, stderr, program.id);
		const identity = await loadIdentity(program.certsDir, `orchestrator-to-${program.id}`);
		const { id: peerName, kind } = program;
		client = await PluginClient.connect({ address, identity, peerName, kind, handshakeMs: READY_MS });
		return new StartedPlugin(child, client, await shakeHands(client, program));
	} catch (thrown) {
		await client?.close();
		await child.stop();
		throw startError(child, program.id, thrown);
	} finally {
		program.signal?.removeEventListener('abort', giveUp);
	}
}

interface Offer {
	tools: ToolDefinition[];
	prompts: PromptDefinition[];
}

async function shakeHands(
	client: PluginClient,
	{ id, binary, args = [], config = {} }: PluginProgram,
): Promise<Offer> {
	const options = { timeoutMs: READY_MS };
	const manifest = { id, binary, args: [...args], features: [...FEATURES] };
	const registered = await client.ask({ case: 'register', value: manifest }, 'register', options);
	if (!registered.accepted)
		throw new OrchestraError('tool_failed', `${id} refused to register: ${registered.rejectReason}`);
	client.features = new Set(registered.features);
	const booted = await client.ask({ case: 'boot', value: { config: { ...config } } }, 'boot', options);
	if (!booted.ready)
		throw new OrchestraError('tool_failed', `${id} did not boot: ${booted.error || 'no reason given'}`);
	const [{ tools }, prompts] = await Promise.all([
		client.ask({ case: 'listTools', value: {} }, 'listTools', options),
		client.send({ request: { case: 'listPrompts', value: {} } }, options),
	]);
	return { tools, prompts: promptsOf(prompts) };
}

/** Older plugins do not know prompts; then they have none. */
function promptsOf({ response }: PluginResponse): PromptDefinition[] {
	return response.case === 'listPrompts' ? response.value.prompts : [];
}

class StartedPlugin implements PluginProcess {
	readonly child: Child;
	readonly client: PluginClient;
	readonly tools: ToolDefinition[];
	readonly prompts: PromptDefinition[];
	#stopping: Promise<void> | undefined;

	constructor(child: Child, client: PluginClient, { tools, prompts }: Offer) {
		this.child = child;
		this.client = client;
		this.tools = tools;
		this.prompts = prompts;
	}

	stop(): Promise<void> {
		this.#stopping ??= this.#stop();
		return this.#stopping;
	}

	async #stop(): Promise<void> {
		const timeoutSeconds = SHUTDOWN_MS / 1000;
		try {
			await this.client.send(
				{ request: { case: 'shutdown', value: { timeoutSeconds } } },
				{ timeoutMs: SHUTDOWN_MS },
			);
		} catch {
			// It is gone or stuck; the ladder below ends it either way.
		}
		await this.client.close();
		await this.child.stop();
	}
}

function recordOf({ binary, args = [], env, cwd, ...program }: PluginProgram): SpawnRecord {
	const flags = [
		`--orchestrator-addr=${program.orchestratorAddress}`,
		'--listen-addr=localhost:0',
		`--certs-dir=${program.certsDir}`,
	];
	const link = program.kind === undefined || program.kind === 'auto' ? {} : { [LINK_VARIABLE]: program.kind };
	return { command: binary, args: [...args, ...flags], env: { ...link, ...env }, cwd };
}

async function readyAddress(child: Child, stderr: StderrLines, id: string): Promise<string> {
	const ended = child.exited.then(() => {
		throw new OrchestraError('closed', explainExit(child.diagnose()));
	});
	const address = await within(Promise.race([stderr.ready, ended]), READY_MS);
	if (address !== undefined) return address;
	throw new OrchestraError('timeout', `${id} did not say READY within ${READY_MS / 1000} s`);
}

function startError(child: Child, id: string, thrown: unknown): OrchestraError {
	const error = OrchestraError.from(thrown);
	return new OrchestraError(error.code, `the plugin ${id} did not start: ${error.message}`, {
		cause: error,
		hint: error.hint ?? child.diagnose().stderr.at(-1),
		data: { ...child.diagnose(), ...error.data },
	});
}

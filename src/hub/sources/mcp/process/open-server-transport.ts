/* Open the transport to a configured MCP server. The only place that knows how a kind of server is reached. */
import type { ServerEntry } from '../../../../config/configuration.ts';
import { otherEntries } from '../../../../config/same-url.ts';
import { markedEnvironment, STARTED_BY, STARTED_BY_HEADER } from '../../../../config/self-entry.ts';
import { messageOf, OrchestraError, systemCode } from '../../../../errors.ts';
import { readRegularText } from '../../../../files/regular-file.ts';
import type { Log } from '../../../../log.ts';
import { resolveSecrets } from '../../../../secrets/resolve-secret.ts';
import { registerVariable } from '../../../../secrets/secret-name.ts';
import type { Transport } from '../../../../transport/transport.ts';
import { CHAIN_HEADER_CHARACTERS, ENV_FILE_BYTES } from '../../source-limits.ts';

export interface ServerTransportOptions {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	/** Receives the stderr of a child process. */
	readonly onStderr: (chunk: Buffer) => void;
	/** Called after its last chunk. */
	readonly onStderrEnd?: (() => void) | undefined;
	/** Receives lines of its stdout that are no messages. */
	readonly onStray?: ((line: string) => void) | undefined;
	/** Longest message of the server, in bytes. */
	readonly limitBytes: number;
	readonly log: Log;
	/** Ends a dial that takes long. */
	readonly signal?: AbortSignal | undefined;
}

/** Start or dial the server. The caller closes the transport. */
export async function openServerTransport(
	entry: ServerEntry,
	{ environment, onStderr, onStderrEnd, onStray, limitBytes, log, signal }: ServerTransportOptions,
): Promise<Transport> {
	if (entry.kind !== 'stdio') {
		const { openRemoteTransport } = await import('../../../../oauth/open-remote-transport.ts');
		const others = (): string[] => otherEntries(entry, environment);
		const headers = { ...(await chainHeader(entry, environment)), ...entry.headers };
		const options = { environment, limitBytes, log, signal, otherEntries: others };
		return openRemoteTransport({ ...entry, headers }, options);
	}
	const { ChildTransport } = await import('../../../../transport/child-transport.ts');
	const own = await resolveSecrets(entry.record.env ?? {}, entry.secrets, { environment });
	const env = { ...markedEnvironment(environment, entry), ...(await variablesOf(entry.envFile)), ...own };
	const stderr = { stderr: onStderr, onStderrEnd };
	const options = { parentEnvironment: environment, ...stderr, onStray, limitBytes, log };
	return ChildTransport.open({ ...entry.record, env }, options);
}

/** The variables in a file; none without one. Throws `bad_input` when it cannot be read. */
async function variablesOf(file: string | undefined): Promise<Record<string, string>> {
	if (file === undefined) return {};
	const { parseEnv } = await import('node:util');
	try {
		const variables = Object.entries(parseEnv(readRegularText(file, ENV_FILE_BYTES)));
		for (const [name, value] of variables) registerVariable(name, value ?? '');
		return Object.fromEntries(variables.map(([name, value]) => [name, value ?? '']));
	} catch (error) {
		throw new OrchestraError('bad_input', `envFile cannot be read: ${reasonOf(error)}`, {
			hint: `Write ${file}, or take envFile out of the entry.`,
		});
	}
}

function reasonOf(error: unknown): string {
	return OrchestraError.is(error) ? error.message : (systemCode(error) ?? messageOf(error));
}

/** The processes that started this hub, for a hub that listens on this machine. Other machines have nothing to do with our folders. */
async function chainHeader(
	entry: Exclude<ServerEntry, { kind: 'stdio' }>,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<Record<string, string>> {
	const { isLoopbackUrl } = await import('../../../../transport/http/network-class.ts');
	if (!URL.canParse(entry.url) || !isLoopbackUrl(new URL(entry.url))) return {};
	const chain = encodeURIComponent(markedEnvironment(environment, entry)[STARTED_BY] ?? '');
	return chain.length > CHAIN_HEADER_CHARACTERS ? {} : { [STARTED_BY_HEADER]: chain };
}

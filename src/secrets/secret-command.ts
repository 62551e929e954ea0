/*
 * Run the command of a secret reference, without a shell.
 *
 * It gets the minimal environment, no input unless a secret is stored, a deadline and an output limit, and its
 * whole process tree is stopped at the end. Its output is never quoted.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestraError } from '../errors.ts';
import { Child } from '../process/child.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { parseStdioUri } from '../process/stdio-uri.ts';
import { onAbort } from '../rpc/abortable.ts';
import { SECRET_COMMAND_MS, SECRET_LIMIT_BYTES } from './secret-limits.ts';

export interface SecretCommandOptions {
	/** The working directory. */
	readonly folder: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly signal?: AbortSignal | undefined;
	/** Its stdin. Default: nothing. */
	readonly input?: string | undefined;
}

/** The stdout of the command. Throws `bad_input` or `spawn` when it fails, is too slow or prints too much. */
export async function commandOutput(
	command: string | SpawnRecord,
	{ folder, environment, signal, input }: SecretCommandOptions,
): Promise<string> {
	const record = typeof command === 'string' ? parseStdioUri(`stdio:${command.trim()}`) : command;
	const child = await Child.start({ ...record, cwd: folder }, { parentEnvironment: environment });
	const ends = new AbortController();
	const stopListening = onAbort(signal, () => ends.abort());
	try {
		child.stdin.on('error', () => {}); // it may end without reading
		child.stdin.end(input);
		const late = sleep(SECRET_COMMAND_MS, undefined, { signal: ends.signal }).catch(() => undefined);
		const outcome = await Promise.race([read(child), late.then(() => undefined)]);
		signal?.throwIfAborted();
		if (outcome === undefined) throw failed(`the command took longer than ${SECRET_COMMAND_MS / 1000} s`);
		return outcome;
	} finally {
		stopListening();
		ends.abort();
		await child.kill();
	}
}

async function read(child: Child): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > SECRET_LIMIT_BYTES) throw failed(`the command printed more than ${SECRET_LIMIT_BYTES} bytes`);
		chunks.push(chunk);
	}
	const { code, signal } = await child.exited;
	if (signal !== null) throw failed(`the command was ended by ${signal}`);
	if (code !== 0) throw failed(`the command exited with code ${code}`);
	return Buffer.concat(chunks).toString('utf8');
}

function failed(reason: string): OrchestraError {
	return new OrchestraError('bad_input', reason, {
		hint: 'Run the command by hand. It must print the secret on stdout without a prompt.',
	});
}

/* The reader of an output, asked for real pipes and sockets. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Receiver } from '../../src/rpc/channel.ts';
import { StdoutReader } from '../../src/transport/stdout-reader.ts';
import { StdoutWatch } from '../../src/transport/stdout-watch.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const { O_WRONLY } = constants;

describe.skipIf(process.platform !== 'linux')('the reader of a pipe', () => {
	it('is there while its process lives, and gone afterwards', async () => {
		const { reader, end } = await pipeReader();
		const output = new StdoutReader(reader);
		expect(output.isGone).toBe(false);
		await end();
		expect(output.isGone).toBe(true);
		expect(output.isGone).toBe(true);
	});
});

describe.skipIf(process.platform === 'win32')('the reader of a socket', () => {
	it('is there until it closes its end', async () => {
		const { descriptor, end } = await socketReader();
		const output = new StdoutReader(descriptor);
		expect(output.isGone).toBe(false);
		end();
		await until('the other end of the socket is closed', () => output.isGone);
	});
});

it.skipIf(process.platform === 'win32')('a file and a closed descriptor count as read', () => {
	const file = openSync(join(writeFiles(temporaryFolder(), { out: '' }), 'out'), O_WRONLY);
	const output = new StdoutReader(file);
	expect(output.isGone).toBe(false);
	closeSync(file);
	expect(output.isGone).toBe(false);
});

it.skipIf(process.platform !== 'linux')(
	'a named FIFO without a reader counts as read: the next one may come',
	async () => {
		const path = join(temporaryFolder(), 'fifo');
		await once(spawn('mkfifo', [path]), 'exit');
		const both = openSync(path, constants.O_RDWR);
		onTestFinished(() => closeSync(both));
		expect(new StdoutReader(both).isGone).toBe(false);
	},
);

describe('StdoutWatch', () => {
	it('reports an unread output once, while a request is in flight', async () => {
		const { watch, reported, send } = watched({ isGone: true });
		send();
		await until('it is reported', () => reported.length > 0);
		send();
		await nextChecks();
		expect(reported).toEqual(['unread']);
		watch.stop();
	});

	it('asks nothing while no request is in flight, and begins again with the next message', async () => {
		const state = { isBusy: false, isGone: true };
		const { watch, reported, send } = watched(state);
		send();
		await nextChecks();
		expect(reported).toEqual([]);
		state.isBusy = true;
		send();
		await until('it is reported', () => reported.length > 0);
		watch.stop();
	});

	it('reports nothing while the output has a reader, and nothing after it was stopped', async () => {
		const state = { isGone: false };
		const { watch, reported, send } = watched(state);
		send();
		await nextChecks();
		watch.stop();
		state.isGone = true;
		send();
		await nextChecks();
		expect(reported).toEqual([]);
	});

	it('passes everything on to the receiver', () => {
		const seen: unknown[] = [];
		const receiver: Receiver = {
			message: (text) => seen.push(text),
			oversize: (line) => seen.push(line),
			end: (reason) => seen.push(reason),
		};
		const watch = new StdoutWatch({ isBusy: () => false, onUnread: () => {} });
		const around = watch.around(receiver);
		const line = { limitBytes: 1, head: '' };
		const reason = new Error('end') as Parameters<Receiver['end']>[0];
		around.message('text');
		around.oversize(line);
		around.end(reason);
		expect(seen).toEqual(['text', line, reason]);
		watch.stop();
	});
});

const CHECK_MS = 2;

function watched(state: { isGone: boolean; isBusy?: boolean }): {
	watch: StdoutWatch;
	reported: string[];
	send: () => void;
} {
	const reported: string[] = [];
	const watch = new StdoutWatch({
		isBusy: () => state.isBusy ?? true,
		onUnread: () => reported.push('unread'),
		reader: state,
		checkMs: CHECK_MS,
	});
	const receiver = watch.around({ message: () => {}, oversize: () => {}, end: () => {} });
	return { watch, reported, send: () => receiver.message('{}') };
}

/** Longer than several checks; timers of the same length run in order. */
async function nextChecks(): Promise<void> {
	for (let check = 0; check < 5; check++) await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
}

/** The writing end of an anonymous pipe, whose reader is another process. */
async function pipeReader(): Promise<{ reader: number; end: () => Promise<void> }> {
	const script = "sleep 60 | sh -c 'echo $$ >&2; exec cat >/dev/null'";
	const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
	onTestFinished(() => void (shell.pid && process.kill(-shell.pid, 'SIGKILL')));
	const [printed] = await once(shell.stderr, 'data');
	const pid = Number(String(printed));
	const reader = openSync(`/proc/${pid}/fd/0`, O_WRONLY);
	onTestFinished(() => closeSync(reader));
	const end = async (): Promise<void> => {
		process.kill(pid, 'SIGKILL');
		await until('the reader is gone', () => new StdoutReader(reader).isGone);
	};
	return { reader, end };
}

/** One end of a Unix socket, and the function that closes the other. */
async function socketReader(): Promise<{ descriptor: number; end: () => void }> {
	const path = join(temporaryFolder(), 'socket');
	const server = createServer().listen(path);
	onTestFinished(() => void server.close());
	await once(server, 'listening');
	const accepted = once(server, 'connection');
	const near = connect({ path, allowHalfOpen: true });
	onTestFinished(() => void near.destroy());
	const [far] = await accepted;
	// The handle of a socket has its descriptor; the declared type does not say so.
	const { fd } = (near as unknown as { _handle: { fd: number } })._handle;
	return { descriptor: fd, end: () => far.destroy() };
}

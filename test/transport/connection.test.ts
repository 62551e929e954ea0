import { describe, expect, it } from 'vitest';
import { connect } from '../../src/transport/connect.ts';
import { Connection } from '../../src/transport/connection.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { MAILBOX_CHARACTERS, MAILBOX_VALUES } from '../../src/transport/transport-limits.ts';
import { until } from '../support/waiting.ts';

describe('connect', () => {
	it('stdio:cat echoes {"foo":42} twice, then close', async () => {
		const connection = await connect('stdio:cat', { auth: true });
		for (const _ of [1, 2]) {
			await connection.send({ foo: 42 });
			expect(await connection.recv()).toEqual({ foo: 42 });
		}
		await connection.close();
		await connection.close();
		expect(connection.isClosed).toBe(true);
	});

	it('stdio:echo {"bye":true} gives one value, then closed, and the same error ever after', async () => {
		const connection = await connect('stdio:echo {"bye":true}');
		expect(await connection.recv()).toEqual({ bye: true });
		const first = await connection.recv().catch((error: unknown) => error);
		expect(first).toMatchObject({ code: 'closed' });
		expect(connection.isClosed).toBe(true);
		await expect(connection.recv()).rejects.toBe(first);
		await expect(connection.send(1)).rejects.toBe(first);
		await connection.close();
	});

	it('two concurrent sends arrive as two whole lines', async () => {
		const connection = await connect('stdio:cat');
		await Promise.all([connection.send('a'.repeat(100_000)), connection.send('b'.repeat(100_000))]);
		expect([await connection.recv(), await connection.recv()]).toEqual([
			'a'.repeat(100_000),
			'b'.repeat(100_000),
		]);
		await connection.close();
	});

	it.each([['"ping"'], ['5'], ['null'], ['[1,"two"]'], ['true'], ['{"a":{"b":[]}}']])(
		'carries the bare value %s',
		async (text) => {
			const connection = await connect('stdio:cat');
			await connection.send(JSON.parse(text));
			expect(JSON.stringify(await connection.recv())).toBe(text);
			await connection.close();
		},
	);

	it('can be read as an async iterable until the end', async () => {
		const connection = await connect(`stdio:sh -c 'echo 1; echo "[2]"; echo 3'`);
		const values: unknown[] = [];
		for await (const value of connection) values.push(value);
		expect(values).toEqual([1, [2], 3]);
		expect(connection.isClosed).toBe(true);
	});

	it('closes when the iteration is left early', async () => {
		const connection = await connect('stdio:yes 1');
		for await (const value of connection) {
			expect(value).toBe(1);
			break;
		}
		await expect(connection.recv()).rejects.toMatchObject({ code: 'closed' });
	});

	it('skips lines that are not JSON; strict mode throws parse for each', async () => {
		const uri = `stdio:sh -c 'echo hello; echo 1'`;
		const tolerant = await connect(uri);
		expect(await tolerant.recv()).toBe(1);
		await tolerant.close();
		const strict = await connect(uri, { strict: true });
		await expect(strict.recv()).rejects.toMatchObject({ code: 'parse', data: { text: 'hello' } });
		expect(await strict.recv()).toBe(1);
		await strict.close();
	});

	it('reports an oversize value as an error and continues', async () => {
		const connection = await connect(`stdio:sh -c 'echo "\\"xxxxxxxxxxxxxxxxxxxx\\""; echo 2'`, {
			limitBytes: 10,
		});
		await expect(connection.recv()).rejects.toMatchObject({ code: 'bad_frame', data: { limitBytes: 10 } });
		expect(await connection.recv()).toBe(2);
		await connection.close();
	});

	it('applies backpressure to a child that prints faster than we read, and loses nothing', async () => {
		const count = MAILBOX_VALUES * 3;
		const connection = await connect(`stdio:seq ${count}`);
		for (let n = 1; n <= count; n++) expect(await connection.recv()).toBe(n);
		await connection.close();
	});

	it('lets a caller send many megabytes before it receives the first value', async () => {
		const connection = await connect('stdio:cat');
		const text = 'x'.repeat(20_000);
		for (let n = 0; n < 2000; n++) await connection.send(text);
		for (let n = 0; n < 2000; n++) expect((await connection.recv()) === text).toBe(true);
		await connection.close();
	});

	it('pauses a child that prints more than the mailbox holds, and loses nothing', async () => {
		const [near, far] = memoryPair();
		const connection = new Connection(near);
		const text = JSON.stringify('x'.repeat(1024 * 1024));
		const count = MAILBOX_CHARACTERS / text.length + 10;
		for (let n = 0; n < count; n++) far.post(text);
		for (let n = 0; n < count; n++) await connection.recv();
		await connection.close();
	});

	it('lets recv be canceled without losing the next value', async () => {
		const connection = await connect('stdio:cat');
		const controller = new AbortController();
		const waiting = connection.recv({ signal: controller.signal });
		controller.abort('enough');
		await expect(waiting).rejects.toMatchObject({ code: 'canceled', cause: 'enough' });
		await expect(connection.recv({ signal: controller.signal })).rejects.toMatchObject({ code: 'canceled' });
		await connection.send('kept');
		expect(await connection.recv({ signal: new AbortController().signal })).toBe('kept');
		await connection.close();
	});

	it('refuses another scheme and a value that is not JSON', async () => {
		await expect(connect('http://x')).rejects.toMatchObject({ code: 'bad_input' });
		const connection = await connect('stdio:cat');
		await expect(connection.send(1n as never)).rejects.toThrow(
			'failed to serialize request: Do not know how to serialize a BigInt',
		);
		await expect(connection.send(undefined as never)).rejects.toThrow(
			'failed to serialize request: undefined is not a JSON value',
		);
		await connection.close();
	});

	it('rejects a send when the child has closed its stdin', async () => {
		const connection = await connect(`stdio:sh -c 'exec <&-; echo 1; exec sleep 30'`);
		expect(await connection.recv()).toBe(1);
		const errors = [];
		for (let n = 0; n < 3; n++)
			errors.push(await connection.send('x'.repeat(200_000)).catch((error: unknown) => error));
		expect(errors.at(-1)).toMatchObject({ code: 'io', message: expect.stringMatching(/^IO error: /) });
		await connection.close();
	});

	it('rejects a send that waits for a child that never reads, when it is closed', async () => {
		const connection = await connect('stdio:sleep 30');
		const send = connection.send('x'.repeat(5_000_000));
		const closed = connection.close();
		await expect(send).rejects.toMatchObject({ code: 'closed', message: 'transport is shut down' });
		await closed;
	});
});

describe('Connection', () => {
	it('delivers queued values after the end, then throws', async () => {
		const [left, right] = memoryPair();
		const connection = new Connection(left);
		right.start({ message: () => {}, oversize: () => {}, end: () => {} });
		right.post('1');
		await right.flushed();
		await right.close();
		await until('the end came', () => left.isClosed);
		expect(connection.isClosed).toBe(false);
		expect(await connection.recv()).toBe(1);
		await expect(connection.recv()).rejects.toMatchObject({ message: 'the other end was closed' });
	});

	it('skips blank lines', async () => {
		const [left, right] = memoryPair();
		const connection = new Connection(left, { strict: true });
		right.post('  ');
		right.post('2');
		expect(await connection.recv()).toBe(2);
		await connection.close();
	});
});

/* What every transport must do, run on every kind of it. The other end echoes each message. */

import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { Receiver } from '../../src/rpc/channel.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { until } from './waiting.ts';

export interface Opened {
	transport: Transport;
	/** Make the other end go away. */
	endOther: () => void;
}

export function transportContract(name: string, open: () => Promise<Opened>): void {
	describe(`${name} transport`, () => {
		it('delivers messages whole and in the order sent', async () => {
			const { transport, inbox } = await started(open);
			const sent = Array.from({ length: 500 }, (_, n) => JSON.stringify({ n, text: 'é'.repeat(n) }));
			for (const text of sent) transport.post(text);
			await until('all came back', () => inbox.messages.length === sent.length);
			expect(inbox.messages).toEqual(sent);
			await transport.close();
		});

		it('carries a message of a megabyte', async () => {
			const { transport, inbox } = await started(open);
			const text = JSON.stringify('x'.repeat(1024 * 1024));
			transport.post(text);
			await until('it came back', () => inbox.messages.length === 1);
			expect(inbox.messages[0] === text).toBe(true);
			await transport.close();
		});

		it('resolves flushed when the bytes are handed over, at once when there are none', async () => {
			const { transport } = await started(open);
			await transport.flushed();
			transport.post('1');
			await transport.flushed();
			await transport.close();
		});

		it('rejects a post after close with code "closed", and closing again does nothing', async () => {
			const { transport, inbox } = await started(open);
			await transport.close();
			await transport.close();
			expect(transport.isClosed).toBe(true);
			expect(() => transport.post('1')).toThrow('transport is shut down');
			await expect(transport.flushed()).rejects.toMatchObject({ code: 'closed' });
			expect(inbox.ends.map(({ code }) => code)).toEqual(['closed']);
		});

		it('reports the end exactly once when the other side exits, after its last messages', async () => {
			const { transport, inbox, endOther } = await started(open);
			transport.post('"last line"');
			await until('the echo came', () => inbox.messages.length === 1);
			endOther();
			await until('the end was reported', () => inbox.ends.length > 0);
			expect(OrchestraError.is(inbox.ends[0], 'closed')).toBe(true);
			await transport.close();
			expect(inbox.ends).toHaveLength(1);
		});

		it('loses nothing over a pause', async () => {
			const { transport, inbox } = await started(open);
			transport.pause();
			for (let n = 0; n < 10; n++) transport.post(String(n));
			await transport.flushed().catch(() => {});
			transport.resume();
			await until('all came', () => inbox.messages.length === 10);
			await transport.close();
		});

		it('lets a slow reader slow the writer', async () => {
			const { transport, inbox } = await started(open);
			transport.pause();
			const text = JSON.stringify('x'.repeat(64 * 1024));
			let posts = 0;
			while (transport.post(text)) posts++;
			expect(posts).toBeLessThan(5000);
			transport.resume();
			await until('it all came back', () => inbox.messages.length === posts + 1);
			await transport.close();
		});
	});
}

class Inbox implements Receiver {
	readonly messages: string[] = [];
	readonly ends: OrchestraError[] = [];
	oversized = 0;

	message(text: string): void {
		this.messages.push(text);
	}

	oversize(): void {
		this.oversized++;
	}

	end(reason: OrchestraError): void {
		this.ends.push(reason);
	}
}

async function started(open: () => Promise<Opened>): Promise<Opened & { inbox: Inbox }> {
	const opened = await open();
	const inbox = new Inbox();
	opened.transport.start(inbox);
	return { ...opened, inbox };
}

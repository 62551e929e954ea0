import { expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import type { About, Receiver } from '../../src/rpc/channel.ts';
import { memoryPair } from '../../src/transport/memory-transport.ts';
import { traced } from '../../src/transport/trace.ts';
import { observed } from '../../src/transport/transport-observer.ts';

const receiver = { message: () => {}, oversize: () => {}, end: () => {} };

it('a traced transport passes on which request a message belongs to', () => {
	const [transport] = memoryPair();
	const posted: (About | undefined)[] = [];
	transport.post = (_text, about) => posted.push(about) > 0;
	const about = { id: '1', isResponse: true };
	traced(transport, () => {}).post('{}', about);
	expect(posted).toEqual([about]);
});

it('an observed transport shows each message, one that is too long, a failed request and the end', () => {
	const seen: unknown[] = [];
	const [transport] = memoryPair();
	let inner: Receiver = receiver;
	transport.start = (given) => {
		inner = given;
	};
	observed(transport, {
		received: (text) => void seen.push(text),
		oversize: ({ limitBytes }) => void seen.push(limitBytes),
		ended: ({ message }) => void seen.push(message),
	}).start({ ...receiver, failed: (id) => void seen.push(id) });
	inner.message('{}');
	inner.oversize({ limitBytes: 5, head: '' });
	inner.failed?.('7', new OrchestraError('closed', 'lost'));
	inner.end(new OrchestraError('closed', 'over'));
	expect(seen).toEqual(['{}', 5, '7', 'over']);
});

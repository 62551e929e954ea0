/* How many datagrams a call needs. */
import { expect, it, onTestFinished } from 'vitest';
import { openPair } from '../../support/links.ts';
import { openLossyRelay } from '../../support/lossy-relay.ts';
import { dialRaw } from '../../support/raw-quic.ts';
import { nextTurn } from '../../support/waiting.ts';

it('acknowledges a request in the datagram of its reply, also when the client sends acknowledgements of its own', async () => {
	const calls = 40;
	const { listener, identities } = await openPair('quic', {
		onStream: (stream) => {
			let request: Uint8Array = new Uint8Array();
			const reply = (): void => {
				stream.send(request);
				stream.end();
			};
			const frame = (payload: Uint8Array): void => void (request = payload);
			stream.receive({ frame, end: () => void nextTurn().then(reply), fail: () => {} });
		},
	});
	const relay = await openLossyRelay(listener.address, {});
	const raw = await dialRaw(relay.address, identities.client);
	onTestFinished(async () => {
		await raw.close();
		relay.close();
	});
	const call = async (): Promise<void> => {
		expect(await raw.exchange(Buffer.from([0, 0, 0, 1, 7]))).toEqual(Buffer.from([0, 0, 0, 1, 7]));
		raw.acknowledge();
	};
	await call();
	const before = relay.passed;
	for (let count = 0; count < calls; count++) await call();
	// An acknowledgement, a request and a reply. A busy machine may delay a reply beyond the delay of the acknowledgement.
	expect((relay.passed - before) / calls).toBeLessThan(3.7);
});

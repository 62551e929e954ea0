import { describe, expect, it } from 'vitest';
import { KEEP_ALIVE_MS, PROBE_MS, SLOW_PROBE_MS } from '../../../src/link/link-limits.ts';
import { KeepAlive } from '../../../src/link/quic/keep-alive.ts';

describe('KeepAlive', () => {
	it('pings an idle peer at the keep-alive interval', () => {
		const keepAlive = established();
		expect(keepAlive.dueAt(false)).toBe(KEEP_ALIVE_MS);
		expect(keepAlive.tick(KEEP_ALIVE_MS, false)).toMatchObject({ isProbeDue: true, isTimedOut: false });
	});

	it('probes often while a call is open, and less often when the call takes long', () => {
		const keepAlive = established();
		keepAlive.callStarted(0);
		expect(keepAlive.dueAt(true)).toBe(PROBE_MS);
		let now = 0;
		for (let probe = 0; probe < 20; probe++) {
			now = keepAlive.dueAt(true);
			keepAlive.tick(now, true);
			keepAlive.packetReceived(now);
		}
		expect(keepAlive.dueAt(true)).toBe(now + SLOW_PROBE_MS);
	});

	it('times out after ten seconds of unanswered probes', () => {
		const keepAlive = established();
		let now = 0;
		let probes = 0;
		for (; probes < 100; probes++) {
			now = keepAlive.dueAt(true);
			if (keepAlive.tick(now, true).isTimedOut) break;
		}
		expect([probes, now]).toEqual([20, 21 * PROBE_MS]);
	});

	it('does not time out a peer after this process was suspended for a minute', () => {
		const keepAlive = established();
		expect(keepAlive.tick(60_000, true)).toMatchObject({ isProbeDue: true, isTimedOut: false });
		keepAlive.packetReceived(60_001);
		expect(keepAlive.tick(60_002, true)).toMatchObject({ isProbeDue: false, isTimedOut: false });
	});

	it('ends a handshake at its deadline, not before', () => {
		const keepAlive = new KeepAlive(0, { handshakeMs: 5_000, peerTimeoutMs: 10_000 });
		expect(keepAlive.tick(4_999, false).isTimedOut).toBe(false);
		expect(keepAlive.tick(5_000, false).isTimedOut).toBe(true);
	});
});

function established(): KeepAlive {
	const keepAlive = new KeepAlive(0, { handshakeMs: 5_000, peerTimeoutMs: 10_000 });
	keepAlive.established();
	return keepAlive;
}

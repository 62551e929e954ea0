import { describe, expect, it } from 'vitest';
import { KEEP_ALIVE_MS, PATIENT_PROBE_MS, PROBE_MS } from '../../../src/link/link-limits.ts';
import { PeerWatch } from '../../../src/link/quic/peer-watch.ts';

describe('the watch over a peer', () => {
	it('pings an idle peer now and then', () => {
		const watch = established();
		expect(watch.dueAt(false)).toBe(KEEP_ALIVE_MS);
		expect(watch.tick(KEEP_ALIVE_MS, false)).toMatchObject({ isProbeDue: true, isSilent: false });
	});

	it('probes eagerly while an answer is awaited, and patiently when that takes long', () => {
		const watch = established();
		watch.busy(0);
		expect(watch.dueAt(true)).toBe(PROBE_MS);
		let now = 0;
		for (let probe = 0; probe < 20; probe++) {
			now = watch.dueAt(true);
			watch.tick(now, true);
			watch.heard(now);
		}
		expect(watch.dueAt(true)).toBe(now + PATIENT_PROBE_MS);
	});

	it('gives up after ten seconds of unanswered probes', () => {
		const watch = established();
		let now = 0;
		let probes = 0;
		for (; probes < 100; probes++) {
			now = watch.dueAt(true);
			if (watch.tick(now, true).isSilent) break;
		}
		expect([probes, now]).toEqual([20, 21 * PROBE_MS]);
	});

	it('does not blame the peer when we ourselves were stopped for a minute', () => {
		const watch = established();
		expect(watch.tick(60_000, true)).toMatchObject({ isProbeDue: true, isSilent: false });
		watch.heard(60_001);
		expect(watch.tick(60_002, true)).toMatchObject({ isProbeDue: false, isSilent: false });
	});

	it('ends a handshake at its deadline, not before', () => {
		const watch = new PeerWatch(0, { handshakeMs: 5_000, silenceMs: 10_000 });
		expect(watch.tick(4_999, false).isSilent).toBe(false);
		expect(watch.tick(5_000, false).isSilent).toBe(true);
	});
});

function established(): PeerWatch {
	const watch = new PeerWatch(0, { handshakeMs: 5_000, silenceMs: 10_000 });
	watch.established();
	return watch;
}

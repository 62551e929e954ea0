import { describe, expect, it } from 'vitest';
import { NatsServers } from '../../src/fabric/link/nats-servers.ts';

describe('NatsServers', () => {
	it('tries the server that was used last at the end', () => {
		const pool = new NatsServers(['tls://a:1', 'tls://b:1', 'tls://c:1']);
		for (const [first] of Array.from({ length: 20 }, () => pool.order())) {
			if (first === undefined) throw new Error('no server');
			pool.used(first);
			expect(pool.order()).toHaveLength(3);
			expect(pool.order().at(-1)).toBe(first);
		}
	});

	it('adds what the cluster names, with the name of the certificate for an address', () => {
		const pool = new NatsServers(['tls://nats.example:4222'], () => 0);
		pool.discovered(['nats.example:4222', '10.0.0.2:4222', '[fd00::2]:4222', 'other.example:4222']);
		expect(pool.order()).toEqual([
			{ url: 'tls://nats.example:4222' },
			{ url: 'tls://10.0.0.2:4222', tlsName: 'nats.example' },
			{ url: 'tls://[fd00::2]:4222', tlsName: 'nats.example' },
			{ url: 'tls://other.example:4222' },
		]);
		pool.discovered([]);
		expect(pool.order()).toHaveLength(1);
	});
});

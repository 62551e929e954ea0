import { describe, expect, it } from 'vitest';
import { assertCapable, usesTls } from '../../src/fabric/link/server-check.ts';
import { natsServer } from '../support/nats-server.ts';

// Here and not where it is looked for, so that a run of all tests says it once.
if (natsServer === undefined)
	console.warn(
		'the fabric is not tested: there is no nats-server. Run npm run test:fabric, or set NATS_SERVER.',
	);

const info = {
	client_id: 1,
	go: '',
	host: '',
	max_payload: 1024 * 1024,
	port: 1,
	proto: 1,
	server_id: '',
	server_name: '',
};

describe('servers of the fabric', () => {
	it('use TLS, or are on loopback', () => {
		expect(usesTls(['tls://nats.example:4222'])).toBe(true);
		expect(usesTls(['nats://127.0.0.1:4222', 'nats://localhost:4223', 'nats://[::1]:4224'])).toBe(false);
	});

	it('are refused without TLS on another machine', () => {
		expect(() => usesTls(['nats://nats.example:4222'])).toThrow('nats://nats.example:4222 is not encrypted');
		expect(() => usesTls(['nats://127.0.0.1.example:4222'])).toThrow('not encrypted');
		expect(() => usesTls(['tls://nats.example:4222', 'nats://127.0.0.1:4222'])).toThrow('not encrypted');
	});

	it('are refused when they are no address, without showing a password', () => {
		expect(() => usesTls(['nats.example:4222'])).toThrow('is not the address of a NATS server');
		expect(() => usesTls(['tls://user:hunter2@nats.example:4222'])).toThrow(
			'tls://…@nats.example:4222 is not',
		);
	});

	it('are refused when they are older than 2.11 have no JetStream, or take small messages only', () => {
		expect(() => assertCapable({ ...info, version: '2.10.9', jetstream: true })).toThrow('2.10.9 is too old');
		expect(() => assertCapable({ ...info, version: '2.12.0', api_lvl: 2 })).toThrow('without JetStream');
		const small = { ...info, version: '2.12.0', api_lvl: 2, jetstream: true, max_payload: 65_536 };
		expect(() => assertCapable(small)).toThrow('takes messages of 65536 bytes only');
		expect(() => assertCapable({ ...info, version: '2.11.0', api_lvl: 1, jetstream: true })).not.toThrow();
	});
});

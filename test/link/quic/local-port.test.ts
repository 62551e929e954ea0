import { createSocket } from 'node:dgram';
import { describe, expect, it } from 'vitest';
import { isLocalPortOpen } from '../../../src/link/quic/local-port.ts';

describe('a UDP port on loopback', () => {
	it.runIf(process.platform === 'linux')('is open while a process has it, and closed after', async () => {
		const socket = createSocket('udp4');
		await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
		const { port } = socket.address();
		expect(isLocalPortOpen({ host: '127.0.0.1', port })).toBe(true);
		await new Promise<void>((resolve) => socket.close(resolve));
		expect(isLocalPortOpen({ host: '127.0.0.1', port })).toBe(false);
	});

	it('is unknown for a peer on another machine', () => {
		expect(isLocalPortOpen({ host: '192.0.2.1', port: 1 })).toBeUndefined();
	});
});

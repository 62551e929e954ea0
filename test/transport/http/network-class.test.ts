import { describe, expect, it } from 'vitest';
import { isLoopbackUrl, networkClass } from '../../../src/transport/http/network-class.ts';

describe('the network of an address', () => {
	it.each([
		['::ffff:127.0.0.1', '127.0.0.1'],
		['::ffff:7f00:1', '127.0.0.1'],
		['64:ff9b::10.0.0.1', '10.0.0.1'],
		['64:ff9b::a00:1', '10.0.0.1'],
		['2002:a00:1::', '10.0.0.1'],
		['::ffff:8.8.8.8', '8.8.8.8'],
	])('%s is in the network of %s, which it contains', (address, inner) => {
		expect(networkClass(address)).toBe(networkClass(inner));
	});

	it.each([
		['http://127.0.0.9/', true],
		['http://[::1]:80/', true],
		['http://localhost/', true],
		['http://app.localhost./', true],
		['http://localhost.example/', false],
		['http://192.168.0.1/', false],
	])('%s is of this machine: %s', (url, expected) => {
		expect(isLoopbackUrl(new URL(url))).toBe(expected);
	});
});

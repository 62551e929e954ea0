import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import {
	formatAddress,
	isLoopback,
	parseAddress,
	parseDialAddress,
	resolveHost,
} from '../../src/link/address.ts';
import { rejection } from '../support/links.ts';

describe('an address', () => {
	it('is parsed in every usual notation', () => {
		expect(parseAddress('localhost:9100')).toEqual({ host: 'localhost', port: 9100 });
		expect(parseAddress('[::1]:0')).toEqual({ host: '::1', port: 0 });
		expect(parseAddress(':50100')).toEqual({ host: 'localhost', port: 50_100 });
	});

	it('is refused with bad_input for any other text', () => {
		for (const text of ['', 'localhost', 'host:', 'host:70000', 'a:b:1', '::1:80']) {
			expect(() => parseAddress(text)).toThrowError(OrchestraError);
		}
		fc.assert(
			fc.property(fc.string(), (text) => {
				try {
					const { host, port } = parseAddress(text);
					expect(host !== '' && port >= 0 && port <= 65_535).toBe(true);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});

	it('to connect to has a port, where one to listen on may leave it open', () => {
		expect(parseDialAddress('localhost:1')).toEqual({ host: 'localhost', port: 1 });
		expect(() => parseDialAddress('localhost:0')).toThrowError(
			expect.objectContaining({ code: 'bad_input', message: expect.stringContaining('port 0') }),
		);
	});

	it('survives formatting and parsing', () => {
		for (const address of ['127.0.0.1:1', '[::1]:2', 'hub.example:3']) {
			expect(formatAddress(parseAddress(address))).toBe(address);
		}
	});

	it('is loopback only when it cannot be reached from elsewhere', () => {
		expect(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
		expect(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost.evil.example'].some(isLoopback)).toBe(false);
	});

	it('with an unknown host name is not_found', async () => {
		expect(OrchestraError.is(await rejection(resolveHost('no-such-host.invalid')), 'not_found')).toBe(true);
		expect(await resolveHost('127.0.0.1')).toEqual(['127.0.0.1']);
	});
});

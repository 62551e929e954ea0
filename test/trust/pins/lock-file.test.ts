/* The text of orchestra.lock. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import {
	formatLock,
	type LockContent,
	type PinnedServers,
	parseLock,
} from '../../../src/trust/pins/lock-file.ts';

const hash = 'a'.repeat(64);

describe('the text of a lock file', () => {
	it('gives back every server and tool, whatever their names', () => {
		const tools = fc.dictionary(name(), fc.constant(hash));
		fc.assert(
			fc.property(fc.dictionary(name(), tools), (servers) => {
				const pinned = mapOf(servers);
				expect(parseLock(formatLock(pinned), 'x').servers).toEqual(sortedMap(pinned.servers));
			}),
		);
	});

	it('gives back every package, whatever its names', () => {
		const item = fc.record({
			registry: name(),
			name: name(),
			version: name(),
			type: name(),
			identifier: name(),
			sha256: fc.constantFrom(undefined, hash),
		});
		fc.assert(
			fc.property(fc.dictionary(name(), item), (items) => {
				const packages = new Map(Object.entries(items));
				const { packages: read } = parseLock(formatLock({ servers: new Map(), packages }), 'x');
				expect(read).toEqual(packages);
			}),
		);
	});

	it('is the same for the same pins in another order, and plain ASCII', () => {
		const one = mapOf({ b: { 'й\u202e': hash, x: hash }, a: {} });
		const other = mapOf({ a: {}, b: { x: hash, 'й\u202e': hash } });
		expect(formatLock(one)).toBe(formatLock(other));
		expect(formatLock(one)).toMatch(/^[\n -~]*$/);
	});

	it('may have line ends of Windows', () => {
		const pinned = mapOf({ a: { x: hash } });
		expect(parseLock(formatLock(pinned).replaceAll('\n', '\r\n'), 'x')).toEqual(pinned);
	});

	it('that is damaged names the line', () => {
		const text = `${formatLock(mapOf({ a: { x: hash } }))}<<<<<<< HEAD\n`;
		expect(() => parseLock(text, '/p/orchestra.lock')).toThrow('/p/orchestra.lock:7 is "<<<<<<< HEAD"');
	});

	it('is read, or refused as bad input, for any text and any cut', () => {
		const whole = formatLock(mapOf({ a: { x: hash, y: hash }, b: {} }));
		const cut = fc.nat(whole.length).map((at) => whole.slice(0, at));
		const changed = fc
			.tuple(fc.nat(whole.length), fc.string())
			.map(([at, text]) => whole.slice(0, at) + text + whole.slice(at));
		fc.assert(
			fc.property(fc.oneof(fc.string({ unit: 'binary' }), cut, changed), (text) => {
				try {
					parseLock(text, 'x');
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_input')).toBe(true);
				}
			}),
		);
	});
});

function name(): fc.Arbitrary<string> {
	return fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.constantFrom('__proto__', 'constructor', '', '"', '\\', '\n'),
	);
}

function mapOf(servers: Readonly<Record<string, Readonly<Record<string, string>>>>): LockContent {
	const pinned = Object.entries(servers).map(
		([server, tools]) => [server, new Map(Object.entries(tools))] as const,
	);
	return { servers: new Map(pinned), packages: new Map() };
}

function sortedMap(pinned: PinnedServers): PinnedServers {
	return new Map([...pinned].sort().map(([server, tools]) => [server, new Map([...tools].sort())]));
}

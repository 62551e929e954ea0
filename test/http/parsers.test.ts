/* What strangers write into headers is read without surprises. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostCheck } from '../../src/http/host-check.ts';
import { eventId, ReplayBuffer, readEventId } from '../../src/http/legacy/replay-buffer.ts';
import { mismatch } from '../../src/http/modern/modern-headers.ts';

describe('Host and Origin', () => {
	const isOwn = hostCheck({ scheme: 'http', host: '127.0.0.1', port: 8080 });

	it('are ours for no text but the names of loopback with our port', () => {
		const ours = /^(localhost|127\.0\.0\.1|\[::1\]):8080$/i;
		const part = fc.constantFrom(
			'localhost',
			'127.0.0.1',
			'[::1]',
			':8080',
			':',
			'.',
			'@',
			'/',
			'\t',
			' ',
			'evil',
			'#',
		);
		const text = fc.oneof(
			fc.string(),
			fc.array(part).map((parts) => parts.join('')),
		);
		fc.assert(
			fc.property(text, (host) => {
				expect(isOwn({ host })).toBe(ours.test(host));
			}),
		);
	});

	it('need the default port when none is written', () => {
		const onDefault = hostCheck({ scheme: 'http', host: '127.0.0.1', port: 80 });
		expect([onDefault({ host: 'localhost' }), isOwn({ host: 'localhost' })]).toEqual([true, false]);
		expect(isOwn({ host: 'localhost:8080', origin: 'https://localhost:8080' })).toBe(false);
	});
});

describe('a header that repeats a value', () => {
	it('agrees with any text in base64', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), (text) => {
				const header = `=?base64?${Buffer.from(text).toString('base64')}?=`;
				expect(mismatch('Mcp-Name', header, text)).toBeUndefined();
			}),
		);
	});

	it('never fails with anything but a mismatch, whatever it says', () => {
		fc.assert(
			fc.property(fc.string(), fc.jsonValue(), (header, value) => {
				expect([undefined, -32020]).toContain(mismatch('Mcp-Name', header, value)?.code);
			}),
		);
	});
});

describe('an event id', () => {
	it('is read as it was written, and no other text is one', () => {
		fc.assert(
			fc.property(fc.nat(), fc.nat(), (stream, number) => {
				expect(readEventId(eventId(`p${stream}`, number))).toEqual({ stream: `p${stream}`, number });
			}),
		);
		fc.assert(fc.property(fc.string(), (text) => void readEventId(text)));
		expect(['', 'p1', 'p1-', '-1', 'p1-1-1', 'P1-1'].map(readEventId)).toEqual(Array(6).fill(undefined));
	});
});

describe('the messages retained for resumption', () => {
	it('are all that follow, or known to be incomplete', () => {
		const limits = { replayMessages: 5, replayCharacters: 20 };
		const sent = fc.array(
			fc.record({ stream: fc.constantFrom('p1', 'p2'), text: fc.string({ maxLength: 8 }) }),
		);
		fc.assert(
			fc.property(sent, fc.nat({ max: 5 }), (messages, after) => {
				const buffer = new ReplayBuffer(limits);
				const texts: string[] = [];
				const counts = { p1: 0, p2: 0 };
				for (const { stream, text } of messages) {
					buffer.add(stream, ++counts[stream], text);
					if (stream === 'p1') texts.push(text);
				}
				const kept = buffer.after('p1', after);
				const expected = texts.slice(after);
				const characters = messages.reduce((sum, { text }) => sum + text.length, 0);
				const isWhole = messages.length <= limits.replayMessages && characters <= limits.replayCharacters;
				// It may give up only when something was dropped.
				const isGivenUp = !isWhole && (kept ?? []).length === 0;
				expect(isGivenUp ? expected : kept?.map(({ text }) => text)).toEqual(expected);
			}),
		);
	});
});

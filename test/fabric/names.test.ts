import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headers } from '@nats-io/transport-node';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { userLines } from '../../src/fabric/administration/server-config.ts';
import { controlKinds, readEnvelope, workerKinds, writeEnvelope } from '../../src/fabric/fabric-message.ts';
import {
	bodyKey,
	callSubject,
	controlSubject,
	decodeToken,
	encodeToken,
	outSubject,
	parseKey,
	presenceKey,
	subjectRoute,
} from '../../src/fabric/fabric-names.ts';

const name = fc.string({ unit: 'binary', maxLength: 40 });

describe('names of the fabric', () => {
	it('are all in the documentation: every subject that a member may use', () => {
		const members = [
			{ name: 'admin', key: 'UA', calls: [] },
			{ name: 'both', key: 'UB', offers: 'gpu', calls: ['*'] },
		];
		const granted =
			members
				.flatMap(userLines)
				.join()
				.match(/"[^"]+"/g) ?? [];
		// Up to the first name of a member, a group or a key.
		const names = granted.map(
			(subject) => /^"(\$JS\.API\.[\w.]+|\$KV\.ORC|orc\.\w+|_INBOX)/.exec(subject)?.[1],
		);
		expect(names).not.toContain(undefined);
		const documented = readFileSync('docs/fabric.md', 'utf8');
		// Verbs of the administrator are in one row.
		const text = documented.replace(
			/(\$JS\.API\.STREAM)\.CREATE\.KV_ORC`, and (.*?) \|/,
			(_all, api: string, verbs: string) =>
				['CREATE', ...(verbs.match(/\w+/g) ?? [])].map((verb) => `${api}.${verb}.KV_ORC`).join(' '),
		);
		expect([...new Set(names)].filter((subject) => !text.includes(subject ?? ''))).toEqual([]);
	});

	it('become tokens that NATS accepts, and back', () => {
		fc.assert(
			fc.property(name, (text) => {
				const token = encodeToken(text);
				expect(token).toMatch(/^[A-Za-z0-9_=-]+$/);
				expect(token).not.toBe('_');
				expect(decodeToken(token)).toBe(text);
			}),
		);
	});

	it('are different for different names', () => {
		fc.assert(
			fc.property(name, name, (one, other) => (encodeToken(one) === encodeToken(other)) === (one === other)),
		);
	});

	it('are read from one form of a token only', () => {
		expect(decodeToken('=61')).toBeUndefined();
		expect(decodeToken('=2e')).toBeUndefined();
		expect(decodeToken('_')).toBeUndefined();
		expect(decodeToken('=FF')).toBeUndefined();
		expect(encodeToken('images__resize')).toBe('images__resize');
	});

	it('are found again in every subject', () => {
		fc.assert(
			fc.property(name, name, name, (one, two, tool) => {
				const call = subjectRoute(callSubject(one, two, tool));
				expect(call).toMatchObject({ first: one, second: two });
				expect(decodeToken(call?.last ?? '')).toBe(tool);
				expect(subjectRoute(outSubject(one, two, 'p.c'))).toEqual({ first: one, second: two, last: 'p.c' });
				expect(subjectRoute(controlSubject(one, two, 'p.c'))).toEqual({
					first: one,
					second: two,
					last: 'p.c',
				});
				expect(parseKey(presenceKey(one, two))).toEqual({ kind: 'presence', group: one, worker: two });
				expect(parseKey(bodyKey(one, 'ab12'))).toEqual({ kind: 'body', worker: one, hash: 'ab12' });
			}),
		);
	});

	it('are not found in foreign subjects and keys', () => {
		for (const subject of [
			'',
			'orc',
			'orc.out.a.b.c',
			'orc.out.a.b.c.d.e',
			'foo.out.a.b.c.d',
			'orc.out.=zz.b.c.d',
			'orc.call.a.b',
		])
			expect(subjectRoute(subject)).toBeUndefined();
		for (const key of ['', 'w', 'w.a', 'x.a.b', 'w.a.b.c', 'w.=zz.b']) expect(parseKey(key)).toBeUndefined();
	});
});

describe('headers of the fabric', () => {
	it('are all in the documentation, and so is each kind of message', () => {
		const documented = readFileSync('docs/fabric.md', 'utf8');
		const sources = readdirSync('src/fabric', { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => readFileSync(join('src/fabric', file), 'utf8'));
		const names = sources.flatMap((text) => text.match(/'(?:Orc|Nats|KV)-\w[\w-]*'/g) ?? []);
		expect(new Set(names).size).toBeGreaterThan(12);
		const kinds = [...workerKinds, ...controlKinds].filter((kind) => kind !== 'beat');
		const known = (name: string): boolean => documented.includes(`\`${name.slice(1, -1)}\``);
		expect([...new Set(names)].filter((name) => !known(name))).toEqual([]);
		expect(kinds.filter((kind) => !new RegExp(`\\b${kind}\\b`).test(documented))).toEqual([]);
	});

	it('are read as they were written', () => {
		const text = fc.stringMatching(/^[!-~]{1,30}$/);
		const count = fc.nat();
		const envelope = fc.record(
			{
				kind: fc.constantFrom('result', 'chunk', 'query', 'ask'),
				call: text,
				worker: text,
				reason: text,
				expires: count,
				seq: count,
				chunks: count,
				size: count,
			},
			{ requiredKeys: [] },
		);
		fc.assert(
			fc.property(envelope, (given) => {
				expect(readEnvelope({ headers: writeEnvelope(headers(), given) })).toEqual(given);
			}),
		);
	});

	it('never hold a line break or a wrong number', () => {
		const written = writeEnvelope(headers(), { reason: 'a\r\nOrc-Kind: result\r\n' });
		expect(readEnvelope({ headers: written }).kind).toBeUndefined();
		const wrong = headers();
		wrong.set('Orc-Seq', '-1');
		wrong.set('Orc-Kind', 'explode');
		expect(readEnvelope({ headers: wrong })).toEqual({ seq: undefined });
	});
});

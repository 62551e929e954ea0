import { X509Certificate } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { certificatesFolder, checkName, loadIdentity } from '../../../src/link/certificates/certificates.ts';
import { writeForeignAuthority } from '../../support/foreign-authority.ts';
import { rejection } from '../../support/links.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const DAY_MS = 24 * 60 * 60_000;

describe('the certificate folder', () => {
	it('is created private, with the file names that every Orchestra uses', async () => {
		const folder = join(temporaryFolder(), 'certs');
		await loadIdentity(folder, 'orchestrator');
		expect((await readdir(folder)).sort()).toEqual([
			'ca.crt',
			'ca.key',
			'orchestrator.crt',
			'orchestrator.key',
		]);
		expect((await stat(folder)).mode & 0o777).toBe(0o700);
		for (const name of await readdir(folder))
			expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
	});

	it('contains an Ed25519 authority, and leaves with their name and loopback', async () => {
		const folder = temporaryFolder();
		const { ca, certificate, key } = await loadIdentity(folder, 'tools.features-client');
		const authority = new X509Certificate(ca);
		const leaf = new X509Certificate(certificate);
		expect(authority.subject).toBe('O=Orchestra\nCN=Orchestra CA');
		expect([authority.ca, leaf.ca, authority.publicKey.asymmetricKeyType]).toEqual([true, false, 'ed25519']);
		expect(leaf.subject).toContain('CN=tools.features-client');
		expect(leaf.subjectAltName).toBe(
			'DNS:tools.features-client, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
		);
		expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
		expect(leaf.verify(authority.publicKey) && leaf.checkIssued(authority)).toBe(true);
		expect(key).toContain('BEGIN PRIVATE KEY');
		expect(Date.parse(leaf.validTo) - Date.now()).toBeGreaterThan(364 * DAY_MS);
		expect(Date.parse(leaf.validFrom)).toBeLessThan(Date.now() - DAY_MS + 60_000);
	});

	it('is used unchanged when it is complete', async () => {
		const folder = temporaryFolder();
		const first = await loadIdentity(folder, 'orchestrator');
		expect(await loadIdentity(folder, 'orchestrator')).toEqual(first);
	});

	it('gets one authority when many processes start at once', async () => {
		const folder = temporaryFolder();
		const names = Array.from({ length: 12 }, (_, index) => `plugin${index % 4}`);
		const all = await Promise.all(names.map((name) => loadIdentity(folder, name)));
		expect(new Set(all.map(({ ca }) => ca)).size).toBe(1);
		expect(new Set(all.map(({ certificate }) => certificate)).size).toBe(4);
		expect(await readdir(folder)).not.toContain('.lock');
	});

	it('is not blocked by the lock of a dead process', async () => {
		const folder = temporaryFolder();
		await writeFile(join(folder, '.lock'), '999999999\n');
		expect((await loadIdentity(folder, 'orchestrator')).name).toBe('orchestrator');
	});

	it('renews certificates that expire within a month, and older leaves stay valid', async () => {
		const folder = temporaryFolder();
		const before = await loadIdentity(folder, 'old');
		const later = (): Date => new Date(Date.now() + 340 * DAY_MS);
		const after = await loadIdentity(folder, 'new', { now: later });
		expect(after.ca).not.toBe(before.ca);
		expect(new X509Certificate(before.certificate).verify(new X509Certificate(after.ca).publicKey)).toBe(
			true,
		);
		expect(new X509Certificate(before.certificate).checkIssued(new X509Certificate(after.ca))).toBe(true);
		const renewed = await loadIdentity(folder, 'old', { now: later });
		expect(renewed.certificate).not.toBe(before.certificate);
	});

	it.each([
		['that has expired', 400],
		['that is not yet valid', -300],
	])('makes an authority %s anew with its key, and its leaves', async (_what, days) => {
		const folder = temporaryFolder();
		const before = await loadIdentity(folder, 'orchestrator', {
			now: () => new Date('2026-11-01T00:00:00Z'),
		});
		const now = (): Date => new Date(Date.parse('2026-11-01T00:00:00Z') + days * DAY_MS);
		const after = await loadIdentity(folder, 'orchestrator', { now });
		expect(after.ca).not.toBe(before.ca);
		for (const text of [after.ca, after.certificate]) {
			const { validFrom, validTo } = new X509Certificate(text);
			expect(Date.parse(validFrom)).toBeLessThan(now().getTime());
			expect(Date.parse(validTo)).toBeGreaterThan(now().getTime());
		}
		expect(new X509Certificate(before.certificate).verify(new X509Certificate(after.ca).publicKey)).toBe(
			true,
		);
		expect(await loadIdentity(folder, 'orchestrator', { now })).toEqual(after);
	});

	it('names an expired authority of another tool and the fix, and leaves it', async () => {
		const folder = temporaryFolder();
		writeForeignAuthority(folder, { from: new Date(), to: new Date(Date.now() + 90 * DAY_MS) });
		await loadIdentity(folder, 'orchestrator');
		const before = await readFile(join(folder, 'ca.crt'), 'utf8');
		const error = await rejection(
			loadIdentity(folder, 'orchestrator', { now: () => new Date(Date.now() + 400 * DAY_MS) }),
		);
		expect(error).toMatchObject({ code: 'bad_input', data: { path: join(folder, 'ca.crt') } });
		expect(OrchestraError.from(error).hint).toContain('delete the whole folder');
		expect(await readFile(join(folder, 'ca.crt'), 'utf8')).toBe(before);
	});

	it.each([
		['orchestrator.crt', 'Delete its .crt and .key'],
		['orchestrator.key', 'Delete its .crt and .key'],
		['ca.crt', 'delete the whole folder'],
		['ca.key', 'delete the whole folder'],
	])('names %s when it is damaged, and the remedy', async (name, remedy) => {
		const folder = temporaryFolder();
		await loadIdentity(folder, 'orchestrator');
		const path = join(folder, name);
		await writeFile(path, (await readFile(path, 'utf8')).slice(0, 60));
		const error = OrchestraError.from(await rejection(loadIdentity(folder, 'orchestrator')));
		expect([error.code, error.data['path']]).toEqual(['bad_input', path]);
		expect(error.hint).toContain(remedy);
	});

	it('refuses a key that belongs to another certificate', async () => {
		const folder = temporaryFolder();
		await loadIdentity(folder, 'one');
		const { key } = await loadIdentity(folder, 'two');
		await writeFile(join(folder, 'one.key'), key);
		expect(OrchestraError.from(await rejection(loadIdentity(folder, 'one'))).message).toContain(
			'does not belong',
		);
	});

	it('serves existing leaves without the key of the authority', async () => {
		const folder = temporaryFolder();
		const known = await loadIdentity(folder, 'known');
		await rm(join(folder, 'ca.key'));
		expect(await loadIdentity(folder, 'known')).toEqual(known);
		expect(OrchestraError.is(await rejection(loadIdentity(folder, 'unknown')), 'bad_input')).toBe(true);
	});

	it.each([
		['ca.crt', 'ca.key'],
		['ca.key', 'ca.crt'],
	])('creates no new authority when only %s is missing, and names both files', async (missing, other) => {
		const folder = temporaryFolder();
		await loadIdentity(folder, 'known');
		const before = await readFile(join(folder, other), 'utf8');
		await rm(join(folder, missing));
		const error = OrchestraError.from(await rejection(loadIdentity(folder, 'unknown')));
		expect(error.code).toBe('bad_input');
		expect(error.message).toContain(`${join(folder, missing)} is missing, but ${join(folder, other)} exists`);
		expect(error.hint).toContain(`Restore ${missing}`);
		expect(await readFile(join(folder, other), 'utf8')).toBe(before);
		expect(await readdir(folder)).not.toContain(missing);
	});

	it('never resolves a name to a path outside the folder', () => {
		for (const name of ['', 'ca', '.', '..', '../x', 'a/b', 'a\\b', 'a\0b', '-x', 'x'.repeat(65), 'a..b']) {
			expect(() => checkName(name)).toThrowError(/cannot be the name/);
		}
		fc.assert(
			fc.property(fc.string(), (name) => {
				try {
					checkName(name);
				} catch {
					return;
				}
				expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
			}),
		);
	});

	it('is in the home folder by default', () => {
		expect(certificatesFolder()).toMatch(/\.orchestra.certs$/);
		expect(certificatesFolder('/elsewhere')).toBe('/elsewhere');
	});
});

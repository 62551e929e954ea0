/* A wrong clock, open modes and leftovers: nothing is lost, nothing is trusted, and everything is said. */

import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { ensureCertificates, loadIdentity } from '../../src/link/certificates/certificates.ts';
import {
	type CertificateFinding,
	inspectCertificates,
} from '../../src/link/certificates/inspect-certificates.ts';
import { rejection } from '../support/links.ts';
import { temporaryFolder } from '../support/workspace.ts';

const DAY_MS = 24 * 60 * 60_000;
const at = (text: string) => ({ now: () => new Date(text) });

describe('certificates under a wrong clock', () => {
	it.each(['1970-01-01T00:00:10Z', '2099-05-05T00:00:00Z'])('are not created at %s', async (clock) => {
		const folder = join(temporaryFolder(), 'certs');
		const error = OrchestraError.from(await rejection(loadIdentity(folder, 'orchestrator', at(clock))));
		expect([error.code, error.hint]).toEqual(['bad_input', 'Set the clock and try again.']);
		expect(error.message).toContain(clock.slice(0, 10));
		await expect(readdir(folder)).rejects.toThrow('ENOENT');
	});

	it.each([
		['1970-01-01T00:00:10Z', 'is not valid before'],
		['2099-05-05T00:00:00Z', 'expired on'],
	])('are not replaced at %s, and the error says what the clock says', async (clock, words) => {
		const folder = temporaryFolder();
		const made = await loadIdentity(folder, 'orchestrator');
		for (const name of ['orchestrator', 'another']) {
			const error = OrchestraError.from(await rejection(loadIdentity(folder, name, at(clock))));
			expect(error.message).toContain(words);
			expect(error.message).toContain(`the clock says ${clock.slice(0, 10)}`);
			expect(error.hint).toMatch(/^Set the clock if it is wrong\. If it is right: /);
		}
		expect(await loadIdentity(folder, 'orchestrator')).toEqual(made);
	});

	it('are valid after the clock is corrected when they were renewed a year ahead', async () => {
		const folder = temporaryFolder();
		await loadIdentity(folder, 'orchestrator');
		const ahead = { now: () => new Date(Date.now() + 350 * DAY_MS) };
		const renewed = await loadIdentity(folder, 'orchestrator', ahead);
		const added = await loadIdentity(folder, 'added', ahead);
		for (const text of [renewed.ca, renewed.certificate, added.certificate]) {
			expect(Date.parse(new X509Certificate(text).validFrom)).toBeLessThanOrEqual(Date.now());
		}
		expect((await loadIdentity(folder, 'orchestrator')).certificate).toBe(renewed.certificate);
	});
});

describe('the certificate folder', () => {
	it('is cleaned of drafts that a killed process left', async () => {
		const folder = temporaryFolder();
		await writeFile(join(folder, 'ca.key.4711.new'), 'half a key', { mode: 0o600 });
		await writeFile(join(folder, 'orchestrator.crt.4711.new'), 'half', { mode: 0o600 });
		await ensureCertificates(folder);
		expect((await readdir(folder)).sort()).toEqual([
			'ca.crt',
			'ca.key',
			'orchestrator.crt',
			'orchestrator.key',
		]);
	});

	it.each([
		['ca.key', 0o644, 'can be read by other users'],
		['orchestrator.key', 0o640, 'can be read by other users'],
		['orchestrator.key', 0o666, 'can be written by other users'],
		['ca.crt', 0o666, 'can be written by other users'],
	])('is not used when %s has the mode %o', async (name, mode, words) => {
		const folder = temporaryFolder();
		await ensureCertificates(folder);
		await chmod(join(folder, name), mode);
		const error = OrchestraError.from(await rejection(loadIdentity(folder, 'orchestrator')));
		expect([error.code, error.data['path']]).toEqual(['bad_input', join(folder, name)]);
		expect(error.message).toContain(words);
		expect(error.hint).toContain('chmod');
	});

	it('is not used when others can write to it, or when it is a link', async () => {
		const folder = temporaryFolder();
		await chmod(folder, 0o777);
		expect(OrchestraError.is(await rejection(loadIdentity(folder, 'orchestrator')), 'bad_input')).toBe(true);
		const link = join(temporaryFolder(), 'certs');
		await symlink(folder, link);
		expect(OrchestraError.is(await rejection(loadIdentity(link, 'orchestrator')), 'bad_input')).toBe(true);
	});
});

describe('inspectCertificates', () => {
	it('finds no fault in a folder that we created, and changes nothing', async () => {
		const folder = temporaryFolder();
		await ensureCertificates(folder);
		expect(look(folder)).toEqual(['ok ca.crt', 'ok orchestrator.crt']);
		expect(look(join(folder, 'missing'))).toEqual([]);
	});

	it('finds open keys, foreign leaves, wrong keys, damage, leftovers and expiry', async () => {
		const folder = temporaryFolder();
		const other = temporaryFolder();
		await ensureCertificates(folder);
		await loadIdentity(folder, 'swapped');
		const foreign = await loadIdentity(other, 'foreign');
		await writeFile(join(folder, 'foreign.crt'), foreign.certificate);
		await writeFile(join(folder, 'damaged.crt'), 'nonsense');
		await writeFile(join(folder, 'ca.key.1.new'), '');
		await writeFile(join(folder, 'swapped.key'), await readFile(join(folder, 'orchestrator.key')));
		await chmod(join(folder, 'orchestrator.key'), 0o666);
		await mkdir(join(folder, 'folder.crt'));
		expect(look(folder)).toEqual([
			'ok ca.crt',
			'warn ca.key.1.new',
			'fail damaged.crt',
			'fail folder.crt',
			'fail foreign.crt',
			'ok orchestrator.crt',
			'fail orchestrator.key',
			'fail swapped.crt',
		]);
		const later = new Date(Date.now() + 350 * DAY_MS);
		expect(look(folder, later)).toContain('warn ca.crt');
		expect(look(folder, new Date(0))).toContain('fail ca.crt');
	});

	it('advises to remove no folder whose authority the next start renews', async () => {
		const folder = temporaryFolder();
		await ensureCertificates(folder);
		const later = new Date(Date.now() + 400 * DAY_MS);
		expect(look(folder, later)).toEqual(['warn ca.crt', 'warn orchestrator.crt']);
		expect([...inspectCertificates(folder, later)].map(({ fix }) => fix)).not.toContain('remove');
		await rm(join(folder, 'ca.key'));
		expect(look(folder, later)).toEqual(['fail ca.crt', 'fail orchestrator.crt']);
	});
});

function look(folder: string, now?: Date): string[] {
	const findings: CertificateFinding[] = [...inspectCertificates(folder, now)];
	expect(findings.filter(({ verdict, fix }) => verdict === 'fail' && !fix)).toEqual([]);
	return findings.map(({ verdict, path }) => `${verdict} ${path.slice(folder.length + 1)}`);
}

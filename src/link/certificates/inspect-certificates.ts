/*
 * Inspect a certificate folder without changing it, for `mctl doctor`: file modes, damage,
 * validity, whether the CA signed each leaf, and whether each key matches.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, OrchestraError } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { EXPIRES_SOON_DAYS } from '../link-limits.ts';
import { DAY_MS, isPlausible } from './certificates.ts';
import { assertPrivateKey } from './private-key-file.ts';
import { isOwnAuthority } from './x509.ts';

export interface CertificateFinding {
	readonly verdict: 'ok' | 'warn' | 'fail';
	readonly path: string;
	/** A sentence that names the file. */
	readonly text: string;
	readonly fix?: string | undefined;
}

/** One finding per file, good or bad. A missing folder has no findings. */
export function* inspectCertificates(folder: string, now: Date = new Date()): Generator<CertificateFinding> {
	if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
	yield* problems(folder, () => assertPrivate(folder));
	const names = readdirSync(folder).sort();
	const authority = names.includes('ca.crt') ? parsed(join(folder, 'ca.crt')) : undefined;
	for (const name of names) {
		const path = join(folder, name);
		if (name.endsWith('.key')) yield* problems(path, () => assertPrivateKey(path));
		if (name.endsWith('.crt')) yield inspectCertificate(path, names, authority, now);
		if (name.endsWith('.new'))
			yield {
				verdict: 'warn',
				path,
				text: `${path} was left by a process that died`,
				fix: `Remove ${path}.`,
			};
	}
}

function inspectCertificate(
	path: string,
	names: readonly string[],
	authority: X509Certificate | Error | undefined,
	now: Date,
): CertificateFinding {
	const isRenewed =
		authority instanceof X509Certificate &&
		isPlausible(now) &&
		isOwnAuthority(authority) &&
		keyFits(join(dirname(path), 'ca.key'), authority);
	const outdated = (reason: string): CertificateFinding =>
		isRenewed
			? {
					verdict: 'warn',
					path,
					text: `certificate ${path} ${reason}`,
					fix: 'Is the clock right? If so, nothing is to do: the next start of a hub, bridge or plugin renews it.',
				}
			: fail(reason);
	const fix = path.endsWith('ca.crt')
		? 'Is the clock right? If so, stop every hub and plugin and remove the whole folder: all are created again.'
		: `Is the clock right? If so, remove ${path} and its .key: they are created again when needed.`;
	const fail = (reason: string): CertificateFinding => ({
		verdict: 'fail',
		path,
		text: `certificate ${path} ${reason}`,
		fix,
	});
	const certificate = parsed(path);
	if (certificate instanceof Error) return fail(`is damaged: ${certificate.message}`);
	const startsIn = Math.ceil((Date.parse(certificate.validFrom) - now.getTime()) / DAY_MS);
	if (startsIn > 0) return outdated(`is not valid before ${certificate.validFrom}`);
	const days = Math.floor((Date.parse(certificate.validTo) - now.getTime()) / DAY_MS);
	if (days < 0) return outdated(`expired ${-days} days ago`);
	if (authority instanceof X509Certificate && !certificate.verify(authority.publicKey))
		return fail('is not signed by the authority in ca.crt');
	const keyPath = path.replace(/\.crt$/, '.key');
	if (names.includes(basename(keyPath)) && !keyFits(keyPath, certificate))
		return fail(`has another key than ${keyPath}`);
	const text = `certificate ${path}: ${days} days left`;
	return { verdict: days < EXPIRES_SOON_DAYS ? 'warn' : 'ok', path, text };
}

function* problems(path: string, check: () => void): Generator<CertificateFinding> {
	try {
		check();
	} catch (thrown) {
		const { message, hint } = OrchestraError.from(thrown);
		yield { verdict: 'fail', path, text: message, fix: hint };
	}
}

function parsed(path: string): X509Certificate | Error {
	try {
		return new X509Certificate(readRegularText(path));
	} catch (thrown) {
		return OrchestraError.from(thrown);
	}
}

function keyFits(path: string, certificate: X509Certificate): boolean {
	return attempt(() => certificate.checkPrivateKey(createPrivateKey(readRegularText(path))), false);
}

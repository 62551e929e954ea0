/*
 * The certificate folder: one authority (CA), one leaf per name.
 *
 * Its layout is shared with every other Orchestra on the machine, so existing files
 * are used as they are. Missing certificates are created, and certificates that
 * expire within a month are renewed, both under a lock. The CA keeps its key when it
 * is renewed, so older leaves stay valid. An authority of ours that has expired, or is not
 * yet valid, is renewed too, and its leaves are made anew. Such a file of another tool, and
 * a damaged one, is never replaced; the error names it and the fix.
 *
 * The clock may be wrong. Nothing is created while it is implausible. A new or renewed
 * certificate starts when its CA started, so a certificate that was renewed while the
 * clock was ahead is valid when the clock is corrected.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import type { Identity } from '../link.ts';
import {
	CERTIFICATE_EARLY_MS,
	CERTIFICATE_NAME_CHARACTERS,
	CERTIFICATE_RENEW_DAYS,
	CERTIFICATE_VALID_DAYS,
} from '../link-limits.ts';
import { assertPrivateKey } from './private-key-file.ts';
import {
	certifyAuthority,
	isOwnAuthority,
	type KeyAndCertificate,
	makeLeaf,
	newAuthority,
	readAuthority,
	type Validity,
} from './x509.ts';

export const DAY_MS: number = 24 * 60 * 60_000;
/** Plausible range of the clock; UTCTime, with its two-digit year, ends with 2049. */
const CLOCK_FROM = Date.UTC(2025, 0, 1);
const CLOCK_UNTIL = Date.UTC(2049, 0, 1);

/** The name in the certificate of every orchestrator; its clients check it. */
export const ORCHESTRATOR_NAME = 'orchestrator';

/** A key and certificate from the folder, with the certificate parsed. */
interface ReadPair extends KeyAndCertificate {
	readonly parsed: X509Certificate;
	/** True when it is expired or not yet valid, and may be made anew. */
	readonly isUnusable?: boolean;
}

export interface CertificateOptions {
	now?: (() => Date) | undefined;
}

/** `~/.orchestra/certs`, or the given folder with `~` expanded. */
export function certificatesFolder(folder: string = '~/.orchestra/certs'): string {
	return folder === '~' || folder.startsWith('~/') ? join(homedir(), folder.slice(1)) : folder;
}

/** The identity of `name` in the folder, created or renewed if needed. Throws `bad_input` naming the invalid file. */
export async function loadIdentity(
	folder: string,
	name: string,
	options: CertificateOptions = {},
): Promise<Identity> {
	checkName(name);
	const now = options.now?.() ?? new Date();
	assertPrivate(folder);
	const found = readIdentity(folder, name, now);
	if (found) return found;
	checkClock(folder, now);
	makeFolders(folder, 0o700);
	return withFolderLock(folder, async () => {
		await removeDrafts(folder);
		const authority = await ensureAuthority(folder, now);
		const leaf = await ensureLeaf({ folder, name, now }, authority);
		return identityOf(folder, name, { authority, leaf });
	});
}

/** Create the CA and the certificate of the orchestrator in advance, under the folder's lock. */
export async function ensureCertificates(folder: string, options: CertificateOptions = {}): Promise<void> {
	await loadIdentity(folder, ORCHESTRATOR_NAME, options);
}

/** Throws `bad_input` for a name that cannot be a file name and a DNS name. */
export function checkName(name: string): void {
	const isSafe = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(name) && !name.includes('..');
	if (isSafe && name.length <= CERTIFICATE_NAME_CHARACTERS && name !== 'ca') return;
	throw new OrchestraError('bad_input', `"${name}" cannot be the name of a certificate`, {
		hint: `Use up to ${CERTIFICATE_NAME_CHARACTERS} letters, digits, dots, dashes or underscores, for example tools.features.`,
	});
}

/** The usual case, without the lock: both files exist and are valid for another month. */
function readIdentity(folder: string, name: string, now: Date): Identity | undefined {
	const authority = readAuthorityPair(folder, now);
	const leaf = authority && readPair(folder, name, now, () => canSign(authority));
	if (!authority || !leaf || needsRenewal(authority, now) || needsRenewal(leaf, now)) return undefined;
	if (!isSignedBy(leaf, authority)) return undefined;
	return identityOf(folder, name, { authority, leaf });
}

function identityOf(
	folder: string,
	name: string,
	{ authority, leaf }: Readonly<Record<'authority' | 'leaf', ReadPair>>,
): Identity {
	const ends = [authority, leaf].map(({ parsed }) => Date.parse(parsed.validTo));
	const dueAt = new Date(Math.min(...ends) - CERTIFICATE_RENEW_DAYS * DAY_MS);
	const { certificate, key } = leaf;
	return { name, ca: authority.certificate, certificate, key, renewal: { dueAt, folder } };
}

async function ensureAuthority(folder: string, now: Date): Promise<ReadPair> {
	const found = readAuthorityPair(folder, now);
	if (!found && readIfExists(join(folder, 'ca.key')) !== undefined)
		throw incompleteAuthority(folder, 'ca.crt');
	if (found && !needsRenewal(found, now)) return found;
	const key = found && signingKey(found);
	if (found && !key) return found;
	const authority = found && key ? readAuthority(found.certificate, key) : newAuthority();
	return writePair(folder, 'ca', certifyAuthority(authority, validity(now, found)));
}

async function ensureLeaf(
	{ folder, name, now }: { folder: string; name: string; now: Date },
	authority: ReadPair,
): Promise<ReadPair> {
	const found = readPair(folder, name, now, () => canSign(authority));
	const key = signingKey(authority);
	if (found && isSignedBy(found, authority) && (!needsRenewal(found, now) || !key)) return found;
	if (authority.key === '') throw incompleteAuthority(folder, 'ca.key');
	if (!key) {
		throw new OrchestraError('bad_input', `${join(folder, 'ca.key')} cannot sign a certificate for ${name}`, {
			hint: 'It must be an Ed25519 key in PKCS#8. Copy the whole folder from the machine that created it.',
		});
	}
	const validFor = validity(now, authority);
	return writePair(folder, name, makeLeaf(name, validFor, readAuthority(authority.certificate, key)));
}

/**
 * Starts with the CA: a start at `now` would be in the future once a clock that was ahead is corrected. Does not end
 * before the CA did: its end would be in the past once a clock that was behind is corrected.
 */
function validity(now: Date, authority: ReadPair | undefined): Validity {
	const { validFrom, validTo } = authority?.parsed ?? {};
	const from = validFrom === undefined ? Number.POSITIVE_INFINITY : Date.parse(validFrom);
	const to = validTo === undefined ? 0 : Date.parse(validTo);
	return {
		from: new Date(Math.min(from, now.getTime() - CERTIFICATE_EARLY_MS)),
		to: new Date(Math.max(to, now.getTime() + CERTIFICATE_VALID_DAYS * DAY_MS)),
	};
}

/** Whether the clock may be right: certificates are made only then. */
export function isPlausible(now: Date): boolean {
	return now.getTime() >= CLOCK_FROM && now.getTime() < CLOCK_UNTIL;
}

function checkClock(folder: string, now: Date): void {
	if (isPlausible(now)) return;
	throw new OrchestraError(
		'bad_input',
		`the clock of this machine shows ${now.toISOString()}: certificates created now in ${folder} would be invalid`,
		{ hint: 'Set the clock and try again.' },
	);
}

/** Only the owner of the lock writes, so any draft was left by a process that died. */
async function removeDrafts(folder: string): Promise<void> {
	const drafts = (await readdir(folder)).filter((name) => /\.(crt|key)\.\d+\.new$/.test(name));
	await Promise.all(drafts.map((name) => unlink(join(folder, name)).catch(() => {})));
}

/** Our own authority may be renewed after its end: it keeps its key, which only this folder has. */
function readAuthorityPair(folder: string, now: Date): ReadPair | undefined {
	return readPair(folder, 'ca', now, canSign);
}

/** Whether an authority is ours and can sign others. */
function canSign(authority: ReadPair): boolean {
	return isOwnAuthority(authority.parsed) && signingKey(authority) !== undefined;
}

/** Undefined when the certificate is missing. Throws when a file is damaged, or has expired and may not be replaced. */
function readPair(
	folder: string,
	name: string,
	now: Date,
	mayReplace: (pair: ReadPair) => boolean,
): ReadPair | undefined {
	const path = join(folder, `${name}.crt`);
	const keyPath = join(folder, `${name}.key`);
	const certificate = readIfExists(path);
	const key = readIfExists(keyPath);
	if (certificate === undefined) return undefined;
	const parsed = parse(path, () => new X509Certificate(certificate));
	const problem = validityProblem(path, parsed, now);
	// Before anything is said about its key: the clock is the more likely cause.
	if (problem && !isPlausible(now)) throw problem;
	const pair = { certificate, key: checkedKey(parsed, { name, key, keyPath }), parsed };
	if (problem === undefined) return pair;
	if (!mayReplace(pair)) throw problem;
	return { ...pair, isUnusable: true };
}

/** The key of a certificate; empty for a CA without its key. */
function checkedKey(
	certificate: X509Certificate,
	{ name, key, keyPath }: { name: string; key: string | undefined; keyPath: string },
): string {
	if (key === undefined) {
		// A machine may have the CA's certificate alone; a leaf needs its key.
		if (name === 'ca') return '';
		throw fileError(keyPath, 'is missing');
	}
	const privateKey = parse(keyPath, () => createPrivateKey(key));
	if (!certificate.checkPrivateKey(privateKey)) throw fileError(keyPath, `does not belong to ${name}.crt`);
	return key;
}

/** The clock is wrong now, or was wrong when the file was created, or nothing ran for a year. */
function validityProblem(
	path: string,
	{ validFrom, validTo }: X509Certificate,
	now: Date,
): OrchestraError | undefined {
	const clock = `; the clock says ${now.toISOString()}`;
	if (Date.parse(validTo) <= now.getTime()) return fileError(path, `expired on ${validTo}${clock}`);
	if (Date.parse(validFrom) > now.getTime())
		return fileError(path, `is not valid before ${validFrom}${clock}`);
	return undefined;
}

/** Synchronous: for four small files the thread pool would only delay every start. */
function readIfExists(path: string): string | undefined {
	try {
		if (path.endsWith('.key')) assertPrivateKey(path);
		else assertPrivate(path);
		return readRegularText(path);
	} catch (error) {
		if (OrchestraError.is(error)) throw error;
		if (isCode(error, 'ENOENT')) return undefined;
		throw new OrchestraError('io', `${path} cannot be read: ${messageOf(error)}`, {
			cause: error,
			data: { path },
		});
	}
}

/** Atomic renames, the key first, because a certificate without a key counts as damaged. */
async function writePair(folder: string, name: string, pair: KeyAndCertificate): Promise<ReadPair> {
	const keyPath = join(folder, `${name}.key`);
	const path = join(folder, `${name}.crt`);
	const draft = (final: string): string => `${final}.${process.pid}.new`;
	await writeFile(draft(keyPath), pair.key, { mode: 0o600 });
	await writeFile(draft(path), pair.certificate, { mode: 0o600 });
	await rename(draft(keyPath), keyPath);
	await rename(draft(path), path);
	return { ...pair, parsed: new X509Certificate(pair.certificate) };
}

function parse<T>(path: string, read: () => T): T {
	try {
		return read();
	} catch (cause) {
		throw fileError(path, `is damaged (${messageOf(cause)})`, cause);
	}
}

function fileError(path: string, what: string, cause?: unknown): OrchestraError {
	const isAuthority = /\bca\.(crt|key)$/.test(path);
	const clockHint = what.includes('the clock says') ? 'Set the clock if it is wrong. If it is right: ' : '';
	return new OrchestraError('bad_input', `the certificate file ${path} ${what}`, {
		cause,
		hint: isAuthority
			? `${clockHint}Stop every hub and plugin, delete the whole folder, and start again: all certificates are created again.`
			: `${clockHint}Delete its .crt and .key: they are created again at the next start.`,
		data: { path },
	});
}

/** One of the two CA files is missing: a new CA would invalidate every existing certificate. */
function incompleteAuthority(folder: string, missing: 'ca.crt' | 'ca.key'): OrchestraError {
	const path = join(folder, missing);
	const other = join(folder, missing === 'ca.crt' ? 'ca.key' : 'ca.crt');
	return new OrchestraError('bad_input', `the certificate file ${path} is missing, but ${other} exists`, {
		hint: `Restore ${missing}. If it is lost, stop every hub and plugin, delete the whole folder, and start again: all certificates are created again.`,
		data: { path, other },
	});
}

function needsRenewal({ parsed, isUnusable = false }: ReadPair, now: Date): boolean {
	return isUnusable || Date.parse(parsed.validTo) - now.getTime() < CERTIFICATE_RENEW_DAYS * DAY_MS;
}

function isSignedBy(leaf: ReadPair, { parsed: authority }: ReadPair): boolean {
	return leaf.parsed.verify(authority.publicKey);
}

function signingKey({ key }: KeyAndCertificate): KeyObject | undefined {
	if (key === '') return undefined;
	const parsed = createPrivateKey(key);
	return parsed.asymmetricKeyType === 'ed25519' ? parsed : undefined;
}

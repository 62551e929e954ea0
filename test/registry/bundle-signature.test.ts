/* Signatures of bundles: one of the official packer, those of OpenSSL, and every cut and change of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { type CertificateTrust, verifyBundle } from '../../src/registry/bundle-signature.ts';
import { temporaryFolder } from '../support/workspace.ts';
import { zipOf } from '../support/zip.ts';

/** Packed and signed with `mcpb pack` and `mcpb sign --self-signed` of @anthropic-ai/mcpb 2.1.2. */
const official = readFileSync(new URL('../fixtures/bundles/signed.mcpb', import.meta.url));
const archive = official.subarray(0, official.lastIndexOf('MCPB_SIG_V1'));
const inTime = { now: new Date('2027-01-01') };
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('the signature of a bundle', () => {
	it('of the official packer is verified and taken off', () => {
		const { archive: unsigned, signer } = verifyBundle(official, inTime);
		expect(unsigned.equals(archive)).toBe(true);
		expect(signer).toMatchObject({
			subject: 'CN=MCPB Self-Signed Certificate, O=MCPB Extensions, C=US',
			certification: 'self-signed',
		});
		expect(verifyBundle(official, { now: new Date('2046-01-01') }).signer?.certification).toBe('expired');
	});

	it('is absent in a bundle that has none', () => {
		expect(verifyBundle(archive)).toEqual({ archive, signer: undefined });
	});

	it('may be the comment of the archive', () => {
		const withComment = Buffer.from(official);
		withComment.writeUInt16LE(official.length - archive.length, archive.length - 2);
		expect(verifyBundle(withComment, inTime).archive.equals(archive)).toBe(true);
	});

	it('does not match when a byte of the archive is another one', () => {
		const at = fc.nat(archive.length - 1);
		fc.assert(
			fc.property(at, fc.integer({ min: 1, max: 255 }), (index, mask) => {
				expect(problemOf(changed(official, index, mask))).toContain('does not match its content');
			}),
		);
	});

	it('vouches for no other name, whatever byte of it is changed', () => {
		const { signer } = verifyBundle(official, inTime);
		for (let index = archive.length; index < official.length - 'MCPB_SIG_END'.length; index++) {
			const outcome = outcomeOf(changed(official, index, 0x21));
			if (
				typeof outcome === 'string' ||
				/^(?:unknown authority|expired)$/.test(outcome.signer?.certification ?? '')
			)
				continue;
			expect(outcome.signer).toEqual(signer);
		}
	});

	it('that is cut, or whose lengths are huge, is refused', () => {
		const block = official.subarray(archive.length);
		fc.assert(
			fc.property(fc.integer({ min: 12, max: block.length - 13 }), (size) => {
				const cut = signedWith(block.subarray(15, size));
				expect(outcomeOf(cut)).toEqual(expect.stringMatching(/cannot be (?:read|verified)/));
			}),
		);
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
				expect(outcomeOf(signedWith(bytes))).toEqual(expect.stringMatching(/cannot be (?:read|verified)/));
			}),
		);
		for (const length of [0, 0x7fffffff, 0xffffffff]) {
			const wrong = Buffer.from(official);
			wrong.writeUInt32LE(length, archive.length + 11);
			expect(outcomeOf(wrong)).toContain('its length is wrong');
		}
		expect(outcomeOf(signedWith(Buffer.alloc(300_000)))).toContain('larger than');
	});

	it.skipIf(!hasOpenssl)('says whether an authority that is trusted certified its name', () => {
		const { bytes, root } = signedByOpenssl('codeSigning');
		expect(certificationOf(bytes, { roots: [root] })).toBe('trusted');
		expect(certificationOf(bytes, {})).toBe('unknown authority');
		expect(certificationOf(bytes, { roots: [root], now: new Date('2099-01-01') })).toBe('expired');
		expect(certificationOf(signedByOpenssl('serverAuth').bytes, { roots: [root] })).toBe('unknown authority');
	});
});

function certificationOf(bytes: Buffer, trust: CertificateTrust): string | undefined {
	return verifyBundle(bytes, trust).signer?.certification;
}

function outcomeOf(bytes: Buffer): ReturnType<typeof verifyBundle> | string {
	try {
		return verifyBundle(bytes, inTime);
	} catch (error) {
		if (!OrchestraError.is(error, 'bad_input')) throw error;
		return error.message;
	}
}

function problemOf(bytes: Buffer): string {
	const outcome = outcomeOf(bytes);
	return typeof outcome === 'string' ? outcome : 'none';
}

function changed(bytes: Buffer, index: number, mask: number): Buffer {
	const copy = Buffer.from(bytes);
	copy.writeUInt8((copy[index] ?? 0) ^ mask, index);
	return copy;
}

function signedWith(signature: Uint8Array, content: Buffer = archive): Buffer {
	const length = Buffer.alloc(4);
	length.writeUInt32LE(signature.length);
	return Buffer.concat([content, Buffer.from('MCPB_SIG_V1'), length, signature, Buffer.from('MCPB_SIG_END')]);
}

/** A root, an authority between and a signer, with elliptic curves, and what `openssl cms` makes of them. */
function signedByOpenssl(purpose: string): { bytes: Buffer; root: string } {
	const cwd = temporaryFolder();
	const run = (...args: string[]): void => void execFileSync('openssl', args, { cwd, stdio: 'ignore' });
	const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
	const file = (name: string): string[] => ['-keyout', `${name}.key`, '-out', `${name}.pem`];
	const issue = (name: string, issuer: string, ...extensions: string[]): void =>
		run(
			'req',
			'-x509',
			...key,
			...file(name),
			'-subj',
			`/CN=${name}`,
			'-days',
			'30',
			'-CA',
			`${issuer}.pem`,
			'-CAkey',
			`${issuer}.key`,
			...extensions.flatMap((text) => ['-addext', text]),
		);
	run('req', '-x509', ...key, ...file('root'), '-subj', '/CN=root', '-days', '30');
	issue('between', 'root', 'basicConstraints=critical,CA:TRUE');
	issue('Ada', 'between', 'basicConstraints=critical,CA:FALSE', `extendedKeyUsage=${purpose}`);
	const content = zipOf({ name: 'manifest.json', content: '{}' });
	writeFileSync(join(cwd, 'x.zip'), content);
	run(
		'cms',
		'-sign',
		'-binary',
		'-in',
		'x.zip',
		'-signer',
		'Ada.pem',
		'-inkey',
		'Ada.key',
		'-certfile',
		'between.pem',
		'-md',
		'sha256',
		'-outform',
		'DER',
		'-out',
		'x.sig',
	);
	return {
		bytes: signedWith(readFileSync(join(cwd, 'x.sig')), content),
		root: readFileSync(join(cwd, 'root.pem'), 'utf8'),
	};
}

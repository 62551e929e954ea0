/*
 * The signature that `mcpb sign` appends to a bundle: who signed it, and whether it matches.
 *
 * It is a detached PKCS#7 signature (RFC 2315, RFC 5652) over the archive. It proves that the
 * archive is the one that the holder of the key signed. Who that is, it proves only when the
 * certificate leads to an authority that this machine trusts; most bundles are signed with a
 * certificate that their author made.
 */
import { createHash, verify, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { messageOf, OrchestraError } from '../errors.ts';
import { contentOf, type Der, itemsOf, oid } from '../link/certificates/der.ts';
import { SIGNATURE_BYTES, SIGNATURE_CERTIFICATES } from './registry-limits.ts';

const START = Buffer.from('MCPB_SIG_V1');
const END = Buffer.from('MCPB_SIG_END');
const LENGTH_SIZE = 4;
const SIGNED_DATA = oid('1.2.840.113549.1.7.2');
const MESSAGE_DIGEST = oid('1.2.840.113549.1.9.4');
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';
const SET = 0x31;
const EMPTY = Buffer.of(SET, 0);
/** Certificates of SignedData, signed attributes of SignerInfo, and the version of a certificate. */
const FIRST_TAGGED = 0xa0;

const digests: readonly (readonly [Der, string])[] = [
	[oid('2.16.840.1.101.3.4.2.1'), 'sha256'],
	[oid('2.16.840.1.101.3.4.2.2'), 'sha384'],
	[oid('2.16.840.1.101.3.4.2.3'), 'sha512'],
];
/** RSA with PKCS#1 v1.5, and ECDSA. */
const signatures: readonly Der[] = [
	'1.2.840.113549.1.1.1',
	'1.2.840.113549.1.1.11',
	'1.2.840.113549.1.1.12',
	'1.2.840.113549.1.1.13',
	'1.2.840.10045.4.3.2',
	'1.2.840.10045.4.3.3',
	'1.2.840.10045.4.3.4',
].map(oid);

/** The signer of a bundle. */
export interface BundleSigner {
	/** The name in the certificate, such as `CN=Ada, O=Acme`. */
	readonly subject: string;
	readonly issuer: string;
	/** The sha256 of the certificate, 64 hexadecimal digits. */
	readonly fingerprint: string;
	/** `trusted`: an authority that this machine trusts certified the name. For the others nobody but the signer vouches for it. */
	readonly certification: 'trusted' | 'self-signed' | 'unknown authority' | 'expired';
}

/** A bundle without its signature. */
export interface UnsignedBundle {
	readonly archive: Buffer;
	/** Undefined for a bundle that is not signed. */
	readonly signer: BundleSigner | undefined;
}

/** The roots and dates that decide about a certificate. */
export interface CertificateTrust {
	readonly now?: Date;
	/** Certificates of authorities, in PEM. Default: those of Node.js. */
	readonly roots?: readonly string[];
}

/** Take the signature off and verify it. Throws `bad_input` when there is one that does not match or cannot be read. */
export function verifyBundle(bytes: Buffer, trust: CertificateTrust = {}): UnsignedBundle {
	if (!bytes.subarray(-END.length).equals(END)) return { archive: bytes, signer: undefined };
	const at = bytes.lastIndexOf(START);
	const start = at + START.length + LENGTH_SIZE;
	const end = bytes.length - END.length;
	if (at === -1 || start > end || bytes.readUInt32LE(start - LENGTH_SIZE) !== end - start)
		throw notVerified('its length is wrong');
	if (end - start > SIGNATURE_BYTES) throw notVerified(`it is larger than ${SIGNATURE_BYTES} bytes`);
	return readable(() => verified(bytes, bytes.subarray(start, end), trust));
}

function verified(bytes: Buffer, block: Buffer, trust: CertificateTrust): UnsignedBundle {
	const { certificates, signer } = parse(block);
	const certificate = certificates.find((each) => isCertificateOf(each, signer.identity));
	if (certificate === undefined) throw notVerified('the certificate of its signer is missing');
	const signed = bytes.subarray(0, bytes.lastIndexOf(START));
	const archive = withoutComment(signed, bytes.length - signed.length);
	if (!isMatch(signer, certificate, [signed, archive])) {
		throw new OrchestraError('bad_input', 'the signature of the bundle does not match its content', {
			hint: 'It was changed after it was signed. Do not install it; get it again from its author.',
		});
	}
	return {
		archive,
		signer: describe(certificate, certificates, { now: new Date(), roots: rootCertificates, ...trust }),
	};
}

/** Some packers count the signature as the comment of the archive; the archive alone has none. */
function withoutComment(signed: Buffer, commentBytes: number): Buffer {
	const at = signed.length - 2;
	if (at < 0 || signed.readUInt16LE(at) !== commentBytes) return signed;
	const archive = Buffer.from(signed);
	archive.writeUInt16LE(0, at);
	return archive;
}

interface SignerInfo {
	/** The content of the issuer and the serial number of its certificate. */
	readonly identity: Buffer;
	readonly digest: string;
	/** The signed attributes as they are signed: a SET. */
	readonly attributes: Buffer;
	readonly messageDigest: Buffer;
	readonly signature: Buffer;
}

/** ContentInfo of SignedData of one SignerInfo (RFC 5652, sections 3 and 5). */
function parse(block: Buffer): { certificates: X509Certificate[]; signer: SignerInfo } {
	const [whole, ...rest] = itemsOf(block);
	if (whole === undefined || rest.length > 0) throw notVerified('it is more or less than one value');
	const [type, content] = itemsOf(contentOf(whole));
	if (type === undefined || content === undefined || !type.equals(SIGNED_DATA))
		throw notVerified('it is not signed data');
	const members = itemsOf(contentOf(contentOf(content)));
	const certificates = itemsOf(contentOf(members.find(hasTag(FIRST_TAGGED)) ?? EMPTY));
	if (certificates.length > SIGNATURE_CERTIFICATES)
		throw notVerified(`it has more than ${SIGNATURE_CERTIFICATES} certificates`);
	// The first set of SignedData has the digest algorithms, the last one the signers.
	const signers = itemsOf(contentOf(members.findLast(hasTag(SET)) ?? EMPTY));
	const [signer] = signers;
	if (signer === undefined || signers.length > 1) throw notVerified(`it has ${signers.length} signers`);
	return { certificates: certificates.map((each) => new X509Certificate(each)), signer: readSigner(signer) };
}

function readSigner(info: Buffer): SignerInfo {
	const [, identity, digest, attributes, algorithm, signature] = itemsOf(contentOf(info));
	if (!identity || !digest || !attributes || !algorithm || !signature) throw notVerified('its signer is cut');
	if (attributes[0] !== FIRST_TAGGED) throw notVerified('it has no signed attributes');
	const algorithmId = algorithmOf(algorithm);
	const hash = digests.find(([id]) => id.equals(algorithmOf(digest)))?.[1];
	if (hash === undefined || !signatures.some((id) => id.equals(algorithmId)))
		throw notVerified('its algorithm is not known here');
	return {
		identity: contentOf(identity),
		digest: hash,
		attributes: Buffer.concat([Buffer.of(SET), attributes.subarray(1)]),
		messageDigest: messageDigestIn(attributes),
		signature: contentOf(signature),
	};
}

function algorithmOf(identifier: Buffer): Der {
	return itemsOf(contentOf(identifier))[0] ?? Buffer.alloc(0);
}

function messageDigestIn(attributes: Buffer): Buffer {
	const found = itemsOf(contentOf(attributes))
		.map((attribute) => itemsOf(contentOf(attribute)))
		.filter(([type]) => type?.equals(MESSAGE_DIGEST));
	const [, values] = found.length === 1 ? (found[0] ?? []) : [];
	if (values === undefined) throw notVerified('it has no digest of the archive');
	return contentOf(contentOf(values));
}

/** The body of a certificate begins with its version, which may be absent, its serial number, an algorithm and its issuer. */
function isCertificateOf({ raw }: X509Certificate, identity: Buffer): boolean {
	const members = itemsOf(contentOf(contentOf(raw)));
	const [serial, , issuer] = hasTag(FIRST_TAGGED)(members[0] ?? Buffer.alloc(1)) ? members.slice(1) : members;
	return serial !== undefined && issuer !== undefined && Buffer.concat([issuer, serial]).equals(identity);
}

/** The attributes are signed, and they have the digest of one of the archives. */
function isMatch(
	{ digest, attributes, messageDigest, signature }: SignerInfo,
	{ publicKey }: X509Certificate,
	archives: readonly Buffer[],
): boolean {
	const isSigned = verify(digest, attributes, publicKey, signature);
	return isSigned && archives.some((each) => createHash(digest).update(each).digest().equals(messageDigest));
}

function describe(
	certificate: X509Certificate,
	others: readonly X509Certificate[],
	trust: Required<CertificateTrust>,
): BundleSigner {
	const oneLine = (name: string): string => name.split('\n').join(', ');
	return {
		subject: oneLine(certificate.subject),
		issuer: oneLine(certificate.issuer),
		fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
		certification: certificationOf(certificate, others, trust),
	};
}

function certificationOf(
	certificate: X509Certificate,
	others: readonly X509Certificate[],
	trust: Required<CertificateTrust>,
): BundleSigner['certification'] {
	const isSelfSigned = certificate.checkIssued(certificate);
	if (isSelfSigned && !isIssuedBy(certificate, certificate)) throw notVerified('its certificate was changed');
	if (!isValidAt(certificate, trust.now)) return 'expired';
	if (isSelfSigned) return 'self-signed';
	// A certificate for a web site says nothing about programs.
	const isForCode = certificate.keyUsage?.includes(CODE_SIGNING);
	return isForCode && isTrusted(certificate, others, trust) ? 'trusted' : 'unknown authority';
}

/** Follow the issuers up to a root certificate. Each certificate is used once, so a circle ends. */
function isTrusted(
	certificate: X509Certificate,
	others: readonly X509Certificate[],
	trust: Required<CertificateTrust>,
): boolean {
	const isIssuer = (issuer: X509Certificate): boolean =>
		issuer.ca && isValidAt(issuer, trust.now) && isIssuedBy(certificate, issuer);
	if (trust.roots.some((pem) => isIssuer(new X509Certificate(pem)))) return true;
	const rest = others.filter((each) => each !== certificate);
	const next = rest.find(isIssuer);
	return next !== undefined && isTrusted(next, rest, trust);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
	return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
	return new Date(validFrom) <= now && now <= new Date(validTo);
}

function hasTag(tag: number): (item: Der) => boolean {
	return (item) => item[0] === tag;
}

/** Everything that hostile bytes make the reader or OpenSSL throw becomes one error. */
function readable<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		throw OrchestraError.is(error) ? error : notVerified(messageOf(error));
	}
}

function notVerified(reason: string): OrchestraError {
	return new OrchestraError('bad_input', `the signature of the bundle cannot be verified: ${reason}`, {
		hint: 'Do not install it; get it again from its author.',
	});
}

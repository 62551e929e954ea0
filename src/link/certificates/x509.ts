/* Create an Ed25519 CA and leaves signed by it, in PEM (RFC 5280, RFC 8410). */
import {
	createHash,
	createPublicKey,
	generateKeyPairSync,
	type KeyObject,
	randomBytes,
	sign,
	X509Certificate,
} from 'node:crypto';
import { OrchestraError } from '../../errors.ts';
import {
	bits,
	contentOf,
	type Der,
	implicit,
	integer,
	itemsOf,
	octets,
	oid,
	sequence,
	set,
	tagged,
	truth,
	utcTime,
	utf8,
} from './der.ts';

export interface KeyAndCertificate {
	/** PKCS#8 PEM. */
	key: string;
	certificate: string;
}

export interface Validity {
	from: Date;
	to: Date;
}

/** The signing key, and the name and key id of its certificate, which leaves must repeat byte for byte. */
export interface Authority {
	key: KeyObject;
	name: Der;
	keyId: Buffer | undefined;
}

const ED25519 = sequence(oid('1.3.101.112'));
const VERSION_3 = tagged(0, integer(Buffer.from([2])));
const ORGANIZATION = 'Orchestra';
const AUTHORITY_NAME = 'Orchestra CA';
const SERIAL_BYTES = 16;
const KEY_ID = '2.5.29.14';

function makeKey(): KeyObject {
	return generateKeyPairSync('ed25519').privateKey;
}

/** A new authority. */
export function newAuthority(): Authority {
	const key = makeKey();
	return { key, name: nameOf(AUTHORITY_NAME), keyId: hashOf(key) };
}

/** The authority of an existing certificate, ours or another tool's. */
export function readAuthority(certificate: string, key: KeyObject): Authority {
	const { raw } = new X509Certificate(certificate);
	return { key, name: subjectOf(raw), keyId: keyIdIn(raw) };
}

/** True for an authority that this program named. Other tools encode the same name in other bytes. */
export function isOwnAuthority({ raw }: X509Certificate): boolean {
	return subjectOf(raw).equals(nameOf(AUTHORITY_NAME));
}

/** The self-signed certificate of an authority. After a renewal, leaves that it signed stay valid. */
export function certifyAuthority(authority: Authority, validity: Validity): KeyAndCertificate {
	const { key, name, keyId } = authority;
	const extensions = [
		extension('2.5.29.19', true, sequence(truth(true), integer(Buffer.from([1])))),
		extension('2.5.29.15', true, bits(Buffer.from([0b0000_0110]), 1)),
		...(keyId ? [extension(KEY_ID, false, octets(keyId))] : []),
	];
	return finish(key, certify({ subject: name, key, validity, extensions }, authority));
}

/** A leaf for servers and clients: its name, `localhost`, and both loopback addresses. */
export function makeLeaf(name: string, validity: Validity, authority: Authority): KeyAndCertificate {
	const key = makeKey();
	const loopback6 = Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);
	const names = sequence(
		implicit(2, Buffer.from(name)),
		implicit(2, Buffer.from('localhost')),
		implicit(7, Buffer.from([127, 0, 0, 1])),
		implicit(7, loopback6),
	);
	const extensions = [
		extension('2.5.29.15', true, bits(Buffer.from([0b1000_0000]), 7)),
		extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
		extension('2.5.29.19', true, sequence()),
		extension(KEY_ID, false, octets(hashOf(key))),
		...(authority.keyId ? [extension('2.5.29.35', false, sequence(implicit(0, authority.keyId)))] : []),
		extension('2.5.29.17', false, names),
	];
	return finish(key, certify({ subject: nameOf(name), key, validity, extensions }, authority));
}

interface Claims {
	subject: Der;
	key: KeyObject;
	validity: Validity;
	extensions: Der[];
}

function certify(claims: Claims, authority: Authority): Der {
	const serial = randomBytes(SERIAL_BYTES);
	const body = sequence(
		VERSION_3,
		integer(serial),
		ED25519,
		authority.name,
		sequence(utcTime(claims.validity.from), utcTime(claims.validity.to)),
		claims.subject,
		publicKey(claims.key),
		tagged(3, sequence(...claims.extensions)),
	);
	return sequence(body, ED25519, bits(sign(null, body, authority.key)));
}

function finish(key: KeyObject, certificate: Der): KeyAndCertificate {
	return { key: key.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate: pem(certificate) };
}

function nameOf(commonName: string): Der {
	const part = (id: string, text: string): Der => set(sequence(oid(id), utf8(text)));
	return sequence(part('2.5.4.10', ORGANIZATION), part('2.5.4.3', commonName));
}

function extension(id: string, isCritical: boolean, value: Der): Der {
	return sequence(oid(id), ...(isCritical ? [truth(true)] : []), octets(value));
}

function publicKey(key: KeyObject): Der {
	return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** The key id in our certificates: the hash of the key's bits. */
function hashOf(key: KeyObject): Buffer {
	return createHash('sha1').update(publicKey(key).subarray(-32)).digest();
}

/** The subject of a certificate, byte for byte: the sixth value of its body. */
function subjectOf(certificate: Buffer): Der {
	const [body] = itemsOf(contentOf(certificate));
	const subject = body && itemsOf(contentOf(body))[5];
	if (!subject) throw new OrchestraError('bad_input', 'the certificate of the authority has no subject');
	return subject;
}

/** The key id in a certificate: it follows the OID of its extension, wrapped twice. */
function keyIdIn(certificate: Buffer): Buffer | undefined {
	const number = oid(KEY_ID);
	const at = certificate.indexOf(number);
	if (at === -1) return undefined;
	return contentOf(contentOf(certificate.subarray(at + number.length)));
}

function pem(bytes: Der): string {
	const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
	return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

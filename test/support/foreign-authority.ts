/* A certificate authority as other tools make it: the same name in other bytes, as Go encodes it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { der, oid, sequence, set } from '../../src/link/certificates/der.ts';
import { certifyAuthority, newAuthority, type Validity } from '../../src/link/certificates/x509.ts';

const PRINTABLE_STRING = 0x13;

/** Write `ca.crt` and `ca.key`. */
export function writeForeignAuthority(folder: string, validity: Validity): void {
	const part = (id: string, text: string): Buffer =>
		set(sequence(oid(id), der(PRINTABLE_STRING, Buffer.from(text))));
	const name = sequence(part('2.5.4.10', 'Orchestra'), part('2.5.4.3', 'Orchestra CA'));
	writeAuthority(folder, { ...newAuthority(), name }, validity);
}

/** Write an authority as this program makes it. */
export function writeOwnAuthority(folder: string, validity: Validity): void {
	writeAuthority(folder, newAuthority(), validity);
}

function writeAuthority(
	folder: string,
	authority: Parameters<typeof certifyAuthority>[0],
	validity: Validity,
): void {
	const { key, certificate } = certifyAuthority(authority, validity);
	writeFileSync(join(folder, 'ca.key'), key, { mode: 0o600 });
	writeFileSync(join(folder, 'ca.crt'), certificate, { mode: 0o600 });
}

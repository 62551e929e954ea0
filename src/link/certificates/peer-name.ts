/*
 * The identity of a peer, from its certificate.
 *
 * Every leaf of the folder is valid for `localhost`, so the handshake alone only proves
 * that the peer belongs to the same user. A client therefore also checks the expected
 * name, `orchestrator` or the id of a plugin, against the common name and DNS names.
 */
import { X509Certificate } from 'node:crypto';
import { OrchestraError } from '../../errors.ts';

/** The common name of a certificate; empty when it has none. */
export function commonNameOf(certificate: X509Certificate): string {
	return /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? '';
}

/** The name of the peer. Throws `closed` when `expected` is given and the certificate does not carry it. */
export function checkPeerName(
	address: string,
	certificate: X509Certificate | undefined,
	expected: string | undefined,
): string {
	const name = certificate ? commonNameOf(certificate) : '';
	if (expected === undefined || name === expected) return name;
	if (certificate?.checkHost(expected, { subject: 'never', wildcards: false })) return name;
	throw new OrchestraError('closed', `${address} shows the certificate of "${name}", not of "${expected}"`, {
		hint: 'Another program listens there. Check the address.',
		data: { address, name, expected },
	});
}

/** The first certificate of a chain in DER. */
export function leafOf(chain: readonly Uint8Array[] | null): X509Certificate | undefined {
	const [leaf] = chain ?? [];
	return leaf && new X509Certificate(leaf);
}

/*
 * The address of the hub's HTTP listener, checked: loopback without conditions; any
 * other address only when the configuration says that it is meant, and with TLS.
 */
import { X509Certificate } from 'node:crypto';
import type { HubSection } from '../config/configuration.ts';
import { messageOf, OrchestraError } from '../errors.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { isOnLoopback, parseAddress } from '../link/address.ts';
import { assertPrivateKey } from '../link/certificates/private-key-file.ts';
import type { HttpListenerOptions } from './http-listener.ts';

export type HttpSettings = Pick<HubSection, 'httpPublic' | 'httpCert' | 'httpKey'>;

/** The address and TLS files to listen with. Throws `bad_input` with the reason. */
export async function listenerSettings(
	address: string,
	settings: HttpSettings,
): Promise<Pick<HttpListenerOptions, 'address' | 'tls'>> {
	const parsed = parseAddress(address);
	const tls = readTls(settings);
	if (await isOnLoopback(parsed)) return { address: parsed, tls };
	if (settings.httpPublic !== true) {
		throw new OrchestraError('bad_input', `HTTP on ${address} could be reached by other machines`, {
			hint: 'Use 127.0.0.1, or set hub.httpPublic to true together with hub.httpCert and hub.httpKey.',
		});
	}
	if (tls === undefined) {
		throw new OrchestraError('bad_input', `HTTP on ${address} needs TLS: the token must not be readable`, {
			hint: 'Set hub.httpCert and hub.httpKey to PEM files.',
		});
	}
	return { address: parsed, tls };
}

function readTls({ httpCert, httpKey }: HttpSettings): HttpListenerOptions['tls'] {
	if (httpCert === undefined && httpKey === undefined) return undefined;
	if (httpCert === undefined || httpKey === undefined) {
		const missing = httpCert === undefined ? 'hub.httpCert' : 'hub.httpKey';
		throw new OrchestraError('bad_input', `${missing} is missing: TLS needs a certificate and its key`, {
			hint: `Set ${missing} to a PEM file.`,
		});
	}
	try {
		assertPrivateKey(httpKey);
		const cert = readRegularFile(httpCert);
		const key = readRegularFile(httpKey);
		return { cert, key, certificate: new X509Certificate(cert) };
	} catch (thrown) {
		if (OrchestraError.is(thrown)) throw thrown;
		throw new OrchestraError('bad_input', `the TLS files of HTTP cannot be used: ${messageOf(thrown)}`, {
			cause: thrown,
			hint: 'Check hub.httpCert and hub.httpKey: both are PEM files.',
		});
	}
}

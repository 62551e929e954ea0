/* Errors for QUIC close codes and the TLS alerts inside them. */
import { OrchestraError } from '../../errors.ts';
import type { EngineError } from './engine.ts';

/** Above this the code of a connection error is a TLS alert. */
const ALERT_BASE = 0x100;

const alerts: Readonly<Record<number, string>> = {
	40: 'the handshake failed',
	42: 'the certificate is damaged',
	45: 'the certificate has expired',
	46: 'the certificate is not acceptable',
	48: 'the certificate is from another authority',
	116: 'a client certificate is required',
	120: 'no common protocol (ALPN)',
};

/** The error for a closed connection. `peer` is the close frame of the other side, `local` is ours. */
export function connectionError(
	address: string,
	peer: EngineError | null,
	local: EngineError | null,
): OrchestraError {
	if (peer) return described(`${address} closed the connection`, peer);
	if (local && (local.isApp || local.errorCode !== 0))
		return described(`this process closed the connection to ${address}`, local);
	return new OrchestraError('closed', `the connection to ${address} is closed`);
}

function described(what: string, error: EngineError): OrchestraError {
	const text = Buffer.from(error.reason).toString('utf8');
	const code = error.errorCode;
	const data = { code, isApplication: error.isApp };
	if (!error.isApp && code >= ALERT_BASE) {
		const reason = alerts[code - ALERT_BASE] ?? `TLS alert ${code - ALERT_BASE}`;
		return new OrchestraError('closed', `${what} in the handshake: ${reason}`, {
			data: { ...data, alert: code - ALERT_BASE },
			hint: 'Both ends must use certificates of the same folder; see --certs-dir.',
		});
	}
	return new OrchestraError('closed', `${what} with code ${code}${text === '' ? '' : `: ${text}`}`, { data });
}

/*
 * The failures of HTTP as errors that explain themselves.
 *
 * `data.outcome` tells whether the server processed the request (`RequestOutcome`): only
 * with `not_run` it may be sent again.
 * URLs are shown without query and credentials, which may be secrets.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
	type ErrorDetails,
	messageOf,
	OrchestraError,
	type RequestOutcome,
	systemCode,
} from '../../errors.ts';
import { quoteLine } from '../../wire/quote-line.ts';

/** A response that is no answer. */
export interface RemoteRefusal {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** How the errors of one server name it. */
export interface ServerLabel {
	/** The URL without query and credentials. */
	readonly url: string;
	/** The argument of `mctl auth`. */
	readonly name: string;
}

/** `url` without the parts that may be secret. */
export function publicUrl(url: URL): string {
	return `${url.protocol}//${url.host}${url.pathname}`;
}

/** What a server without a name is called, for `mctl auth`: its URL, with a mark in place of a query. */
export function nameOfUrl(url: URL): string {
	return url.search === '' ? publicUrl(url) : `${publicUrl(url)}?…`;
}

/** No connection, so nothing was processed. */
export function unreachable({ url }: ServerLabel, cause: unknown): OrchestraError {
	const code = systemCode(cause) ?? '';
	const [reason, hint] = OrchestraError.is(cause)
		? [cause.message, cause.hint] // of a proxy
		: connectProblem(code, cause);
	return new OrchestraError('io', `cannot reach ${url}: ${reason}`, {
		cause,
		hint,
		data: { url, outcome: 'not_run', reason: code },
	});
}

function connectProblem(code: string, cause: unknown): [reason: string, hint: string] {
	switch (code) {
		case 'ECONNREFUSED':
			return ['the connection was refused', 'Check that the server runs, and its port.'];
		case 'ENOTFOUND':
		case 'EAI_AGAIN':
			return [`the host name was not found (${code})`, 'Check the spelling of the URL, and the network.'];
		case 'ETIMEDOUT':
			return ['no connection before the deadline', 'Check the network, or a firewall in between.'];
		default:
			return /CERT|SSL|TLS|UNABLE_TO|SIGNED|EPROTO/.test(code)
				? [
						`TLS failed (${code}): ${messageOf(cause)}`,
						'For a private CA, set NODE_EXTRA_CA_CERTS to its file.',
					]
				: [messageOf(cause), 'Check the URL and the network.'];
	}
}

/** The connection broke after the request was sent. */
export function interrupted({ url }: ServerLabel, how: string, cause?: unknown): OrchestraError {
	const reasonText = `${url} ${how}`;
	return new OrchestraError('closed', `outcome unknown: ${reasonText}`, {
		cause,
		hint: 'The server may have processed the call. Check what it did before you repeat the call.',
		data: { url, outcome: 'unknown', reasonText },
	});
}

/** A message over the limit. @param outcome `ran` when the message was the answer */
export function tooLarge(
	{ url }: ServerLabel,
	limitBytes: number,
	outcome: 'ran' | 'unknown',
): OrchestraError {
	return new OrchestraError('bad_frame', `an answer of ${url} is longer than ${limitBytes} bytes`, {
		hint: 'Raise `limitBytes`, or let the server send the data as a resource link.',
		data: { url, limitBytes, outcome },
	});
}

/** A response that is not of MCP. */
export function notMcp({ url }: ServerLabel, { status, headers, body }: RemoteRefusal): OrchestraError {
	const type = headers['content-type'] ?? 'no content type';
	const quoted = body.trim() === '' ? 'an empty body' : `${type}: ${quoteLine(body)}`;
	return new OrchestraError(
		'bad_frame',
		`${url} is not an MCP endpoint: it answered ${status} with ${quoted}`,
		{
			hint: 'Check the path of the URL; it often ends in /mcp or /sse.',
			data: { url, status },
		},
	);
}

/** A redirect that is not followed. */
export function redirected({ url }: ServerLabel, target: URL | undefined, status: number): OrchestraError {
	const to = target ? publicUrl(target) : 'an invalid location';
	// 303 is the answer to a request that was processed; its result is elsewhere.
	const [outcome, before]: [RequestOutcome, string] =
		status === 303 ? ['unknown', 'outcome unknown: '] : ['not_run', ''];
	return new OrchestraError('io', `${before}${url} redirects to ${to} (${status}), which is not followed`, {
		hint: target ? `If you trust it, use ${publicUrl(target)} as the URL.` : 'Check the URL.',
		data: { url, status, outcome },
	});
}

/** A status that is no answer, explained. */
export function refused(label: ServerLabel, refusal: RemoteRefusal): OrchestraError {
	const { status, headers, body } = refusal;
	const { url, name } = label;
	const said = body.trim() === '' || /<html|<!doctype/i.test(body) ? '' : `: ${quoteLine(body)}`;
	const data = { url, status };
	const fail = (what: string, details: ErrorDetails): OrchestraError =>
		new OrchestraError('io', `${url} ${what} (${status})${said}`, details);
	if (status === 429) return fail('has too many requests', limited(headers, data));
	if (status >= 500) {
		const outcome: RequestOutcome | undefined = status === 502 || status === 504 ? 'unknown' : undefined;
		const what = outcome ? 'failed, outcome unknown' : 'failed';
		const retryAfterMs = retryAfter(headers);
		const hint = 'The fault is at the server. Try again later.';
		return fail(what, { hint, data: { ...data, outcome, retryAfterMs } });
	}
	const [what, hint] = refusedFor(status, name);
	return fail(what, { hint, data: { ...data, outcome: 'not_run' } });
}

function refusedFor(status: number, name: string): [what: string, hint: string] {
	switch (status) {
		case 401:
			return ['needs authorization', `Run: mctl auth ${name}`];
		case 403:
			return [
				'denies access',
				`Check the permissions of the account or the token. To sign in again: mctl auth ${name}`,
			];
		case 404:
		case 405:
			return ['has no MCP endpoint', 'Check the path of the URL.'];
		default:
			return ['refused the request', 'Check the URL and the headers in the configuration.'];
	}
}

function limited(headers: IncomingHttpHeaders, data: Readonly<Record<string, unknown>>): ErrorDetails {
	const retryAfterMs = retryAfter(headers);
	const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`;
	return { hint: `Try again ${when}.`, data: { ...data, outcome: 'not_run', retryAfterMs } };
}

/** `Retry-After`, which is a number of seconds or a date, in milliseconds. */
function retryAfter(headers: IncomingHttpHeaders): number | undefined {
	const value = headers['retry-after'];
	if (value === undefined) return undefined;
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

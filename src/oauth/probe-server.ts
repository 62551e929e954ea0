/* Ask a server whether it wants a token, with the request that changes nothing: `server/discover`. */
import type { Challenge } from '../transport/http/challenges.ts';
import { parseChallenges } from '../transport/http/challenges.ts';
import type { GuardedHttp } from './guarded-http.ts';

export interface ProbeResult {
	readonly status: number;
	readonly challenges: readonly Challenge[];
}

/** The status and the challenges of the server. Redirects are not followed: they could carry the token elsewhere. */
export async function probeServer(
	http: GuardedHttp,
	url: string,
	headers: Readonly<Record<string, string>>,
): Promise<ProbeResult> {
	const response = await http.fetch(url, {
		method: 'POST',
		headers: {
			...headers,
			accept: 'application/json, text/event-stream',
			'content-type': 'application/json',
		},
		ignoresBody: true,
		body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }),
	});
	const challenge = response.headers.get('www-authenticate');
	return { status: response.status, challenges: parseChallenges(challenge ?? '') };
}

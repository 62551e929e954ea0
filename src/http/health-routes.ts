/* `/healthz` and `/readyz`, for a service manager or a load balancer. They need no token and say nothing else. */
import { refuse } from './http-reply.ts';
import type { HttpRoute } from './http-route.ts';

/** Whether the process answers. */
export const healthRoute: HttpRoute = answering('/healthz', () => true);

/** Whether calls can be sent to it: 200 or 503. */
export function readyRoute(isReady: () => boolean): HttpRoute {
	return answering('/readyz', isReady);
}

function answering(path: string, isFine: () => boolean): HttpRoute {
	return {
		path,
		isPublic: true,
		serve({ request, response }) {
			if (request.method !== 'GET' && request.method !== 'HEAD') {
				const headers = { Allow: 'GET, HEAD' };
				return refuse(response, { status: 405, message: 'method not allowed', headers, closes: true });
			}
			const text = isFine() ? 'ok\n' : 'not ready\n';
			const headers = {
				'Content-Type': 'text/plain',
				'Cache-Control': 'no-store',
				'Content-Length': text.length,
			};
			response.writeHead(text === 'ok\n' ? 200 : 503, headers);
			response.end(request.method === 'HEAD' ? undefined : text);
		},
	};
}

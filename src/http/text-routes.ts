/*
 * What is read by machines: `/healthz` and `/readyz` for a service manager or a load balancer, which need no
 * token and say nothing else, and `/metrics` for Prometheus.
 */
import type { HubMetrics } from '../hub/metrics/hub-metrics.ts';
import { PROMETHEUS_TYPE } from '../telemetry/prometheus-text.ts';
import { refuse } from './http-reply.ts';
import type { HttpRoute } from './http-route.ts';

/** Whether the process answers. */
export const healthRoute: HttpRoute = textRoute('/healthz', true, () => ({ text: 'ok\n' }));

/** Whether calls can be sent to it: 200 or 503. */
export function readyRoute(isReady: () => boolean): HttpRoute {
	return textRoute('/readyz', true, () =>
		isReady() ? { text: 'ok\n' } : { text: 'not ready\n', status: 503 },
	);
}

/** @param isPublic true when no token is needed */
export function metricsRoute(metrics: HubMetrics, isPublic = false): HttpRoute {
	return textRoute('/metrics', isPublic, () => ({ text: metrics.text(), type: PROMETHEUS_TYPE }));
}

function textRoute(
	path: string,
	isPublic: boolean,
	answer: () => { readonly text: string; readonly type?: string; readonly status?: number },
): HttpRoute {
	return {
		path,
		isPublic,
		serve({ request, response }) {
			if (request.method !== 'GET' && request.method !== 'HEAD') {
				const headers = { Allow: 'GET, HEAD' };
				return refuse(response, { status: 405, message: 'method not allowed', headers, closes: true });
			}
			const { text, type = 'text/plain', status = 200 } = answer();
			const length = { 'Content-Length': Buffer.byteLength(text) };
			response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store', ...length });
			response.end(request.method === 'HEAD' ? undefined : text);
		},
	};
}

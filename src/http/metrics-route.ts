/* `/metrics`: the metrics of the hub for Prometheus. */
import type { HubMetrics } from '../hub/metrics/hub-metrics.ts';
import { PROMETHEUS_TYPE } from '../telemetry/prometheus-text.ts';
import { refuse } from './http-reply.ts';
import type { HttpRoute } from './http-route.ts';

/** @param isPublic true when no token is needed */
export function metricsRoute(metrics: HubMetrics, isPublic = false): HttpRoute {
	return {
		path: '/metrics',
		isPublic,
		serve({ request, response }) {
			if (request.method !== 'GET' && request.method !== 'HEAD') {
				const headers = { Allow: 'GET, HEAD' };
				return refuse(response, { status: 405, message: 'method not allowed', headers, closes: true });
			}
			const text = metrics.text();
			const length = { 'Content-Length': Buffer.byteLength(text) };
			response.writeHead(200, { 'Content-Type': PROMETHEUS_TYPE, 'Cache-Control': 'no-store', ...length });
			response.end(request.method === 'HEAD' ? undefined : text);
		},
	};
}

/* The `OTEL_*` variables that an exporter of spans needs. */
import type { Log } from '../log.ts';
import { percentDecoded } from '../printable.ts';
import { addSecret } from '../redact.ts';
import { EXPORT_TIMEOUT_MS } from './telemetry-limits.ts';
import type { SpanAttributes } from './tracer.ts';

/** Where and how spans are sent. */
export interface ExportSettings {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly resource: SpanAttributes;
	/** How long one request may take, in milliseconds. */
	readonly timeoutMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings in the environment; undefined, with a warning, when the address cannot be used. */
export function exportSettings(
	environment: Environment,
	serviceName: string,
	log: Pick<Log, 'warn'>,
): ExportSettings | undefined {
	const url = tracesUrl(environment);
	if (url === undefined) {
		log.warn('OTEL_EXPORTER_OTLP_ENDPOINT is not a URL with http or https: no spans are exported');
		return undefined;
	}
	const protocol =
		environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? environment['OTEL_EXPORTER_OTLP_PROTOCOL'];
	if (protocol === 'grpc')
		log.warn(
			'OTEL_EXPORTER_OTLP_PROTOCOL is grpc: spans are sent as http/json, which most collectors accept on port 4318',
		);
	const timeout = Number(environment['OTEL_EXPORTER_OTLP_TIMEOUT'] ?? EXPORT_TIMEOUT_MS);
	const headers = {
		...pairsOf(environment['OTEL_EXPORTER_OTLP_HEADERS']),
		...pairsOf(environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS']),
	};
	for (const value of Object.values(headers)) addSecret(value);
	return {
		url: url.href,
		headers,
		resource: {
			'service.name': serviceName,
			...pairsOf(environment['OTEL_RESOURCE_ATTRIBUTES']),
			...(environment['OTEL_SERVICE_NAME'] ? { 'service.name': environment['OTEL_SERVICE_NAME'] } : {}),
		},
		timeoutMs: timeout > 0 && timeout <= EXPORT_TIMEOUT_MS ? timeout : EXPORT_TIMEOUT_MS,
	};
}

/** The own variable of traces is used as it is; the common one is the address of the collector. */
function tracesUrl(environment: Environment): URL | undefined {
	const own = environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
	const common = environment['OTEL_EXPORTER_OTLP_ENDPOINT']?.replace(/\/+$/, '');
	const text = own || `${common}/v1/traces`;
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

/** `name=value,name=value`, with percent-encoding. Anything else is left out. */
function pairsOf(text = ''): Record<string, string> {
	const pairs = text.split(',').flatMap((part): [string, string][] => {
		const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
		return name === undefined || value === undefined ? [] : [[name, percentDecoded(value)]];
	});
	return Object.fromEntries(pairs);
}

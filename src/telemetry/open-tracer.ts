/* The tracer of this process, made from its environment. */
import type { Log } from '../log.ts';
import { exportSettings } from './export-settings.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { Tracer } from './tracer.ts';

export interface TracerOptions {
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Unless `OTEL_SERVICE_NAME` says otherwise. */
	readonly serviceName: string;
	/** The version of this program. */
	readonly version: string;
	readonly log: Log;
}

/** Call it when `isExporting`. Undefined, with a warning, when the address cannot be used. The caller closes it. */
export function openTracer({ environment, serviceName, version, log }: TracerOptions): Tracer | undefined {
	const settings = exportSettings(environment, serviceName, log);
	return settings && new Tracer(new OtlpExporter(settings, version, log));
}

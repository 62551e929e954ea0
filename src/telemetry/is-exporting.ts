/* Whether spans are exported. A file of its own: every start asks, and nothing else is loaded when they are not. */

/** True when the environment names a collector and does not switch the export off. */
export function isExporting(environment: Readonly<Record<string, string | undefined>>): boolean {
	const endpoint =
		environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
	if (endpoint === undefined || endpoint === '') return false;
	if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
	return environment['OTEL_TRACES_EXPORTER'] !== 'none';
}

/*
 * The settings of an MCP server that are ours, next to the keys of any other client.
 * A key that we do not know is ignored: another client may use it.
 */
import type { ServerScope, ServerSettings } from './configuration.ts';
import type { Field } from './field.ts';

const scopes: readonly ServerScope[] = ['shared', 'session', 'call'];

/** Read the settings; a wrong value is a problem of the entry. */
export function readServerSettings(field: Field): ServerSettings {
	return {
		scope: readScope(field.at('scope')) ?? 'shared',
		startMs: field.at('startMs').count() ?? 60_000,
		timeoutMs: field.at('timeoutMs').count() ?? 30_000,
		maxMs: field.at('maxMs').count() ?? 600_000,
		idleMs: field.at('idleMs').countOrZero() ?? 600_000,
		concurrency: field.at('concurrency').count() ?? 64,
		queue: field.at('queue').countOrZero() ?? 1000,
		restart: field.at('restart').flag() ?? true,
		allow: field.at('allow').texts(),
		deny: field.at('deny').texts() ?? [],
		rename: field.at('rename').textMap() ?? {},
		eager: field.at('eager').flag() ?? false,
		prefix: field.at('prefix').flag() ?? true,
		redact: field.at('redact').flag() ?? false,
		record: field.at('record').flag() ?? false,
	};
}

function readScope(field: Field): ServerScope | undefined {
	const scope = scopes.find((each) => each === field.value);
	if (scope !== undefined || !field.isPresent) return scope;
	return field.report(scopes.map((each) => `"${each}"`).join(', '));
}

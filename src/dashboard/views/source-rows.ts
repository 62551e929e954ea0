/* The sources of the hub, with those of the configuration that are disabled. */
import type { Configuration } from '../../config/configuration.ts';
import { able } from '../../hub/source.ts';
import { type ReportedSource, reportOf } from '../../hub/source-status.ts';
import type { ServerAction, SourceRow } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import type { MemorySamples } from './memory-samples.ts';

/** One row each, in configuration order. */
export function sourceRows({ hub, opened, calls }: DashboardDeps, memory: MemorySamples): SourceRow[] {
	const shown = new Set(hub.sources.map(({ id }) => id));
	const disabled = disabledEntries(opened.configuration()).filter(({ id }) => !shown.has(id));
	return [...hub.sources, ...disabled].map((source: ReportedSource) => {
		const { downReason: _sentence, ...report } = reportOf(source, (pid) => memory.of(pid));
		return { ...report, ...calls.counts.of(source.id), actions: actionsOf(source) };
	});
}

function actionsOf(source: ReportedSource): ServerAction[] {
	const { state, pid, drifted = 0 } = source.status;
	if (state === 'disabled') return ['enable'];
	if (!able(source, 'control')) return [];
	const now: ServerAction[] = pid === undefined ? ['start'] : ['restart', 'stop'];
	return drifted > 0 ? [...now, 'disable', 'accept', 'quarantine'] : [...now, 'disable'];
}

function disabledEntries({ mcpServers, plugins }: Configuration): ReportedSource[] {
	const status = { state: 'disabled' } as const;
	return [
		...mcpServers.filter(({ isEnabled }) => !isEnabled).map(({ name: id }) => ({ id, kind: 'mcp', status })),
		...plugins.filter(({ isEnabled }) => !isEnabled).map(({ id }) => ({ id, kind: 'plugin', status })),
	];
}

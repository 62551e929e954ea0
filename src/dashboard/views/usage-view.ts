/* What the calls cost, for the page. One report is made at a time, and it holds for some seconds. */
import { definitionTokens } from '../../hub/usage/list-meter.ts';
import { readUsage } from '../../hub/usage/read-usage.ts';
import type { UsableItems } from '../../hub/usage/usage-counts.ts';
import { UNUSED_MS } from '../../hub/usage/usage-limits.ts';
import type { UsageReport } from '../../hub/usage/usage-report.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { USAGE_FRESH_MS } from '../dashboard-limits.ts';

interface MadeReport {
	readonly spanMs: number;
	readonly madeAt: number;
	readonly report: Promise<UsageReport>;
}

export class UsageView {
	readonly #deps: Pick<DashboardDeps, 'hub' | 'opened' | 'journalFile'>;
	#last: MadeReport | undefined;

	constructor(deps: Pick<DashboardDeps, 'hub' | 'opened' | 'journalFile'>) {
		this.#deps = deps;
	}

	/** @param since in milliseconds since 1970; default: as long ago as a tool must be unused */
	report(since: number | undefined): Promise<UsageReport> {
		const now = Date.now();
		const spanMs = now - (since ?? now - UNUSED_MS);
		const last = this.#last;
		const isFresh = last !== undefined && now - last.madeAt < USAGE_FRESH_MS;
		if (isFresh && Math.abs(last.spanMs - spanMs) < USAGE_FRESH_MS) return last.report;
		const before = last?.report.catch(() => {}) ?? Promise.resolve();
		const report = before.then(() => this.#make({ since: now - spanMs, until: now }));
		this.#last = { spanMs, madeAt: now, report };
		return report;
	}

	async #make(time: { since: number; until: number }): Promise<UsageReport> {
		const { hub, journalFile } = this.#deps;
		hub.flushJournal();
		return readUsage(journalFile, time, await this.#usable());
	}

	async #usable(): Promise<UsableItems> {
		const { hub, opened } = this.#deps;
		const { items, routes } = await hub.catalogue.list('tools');
		const tools = items.map((tool) => {
			const server = routes.get(tool.name)?.source.id ?? '';
			return { name: tool.name, server, tokens: definitionTokens(tool) };
		});
		const { mcpServers, plugins } = opened.configuration();
		const enabled = [...mcpServers.map(({ name, isEnabled }) => ({ id: name, isEnabled })), ...plugins];
		return { tools, servers: enabled.flatMap(({ id, isEnabled }) => (isEnabled ? [id] : [])) };
	}
}

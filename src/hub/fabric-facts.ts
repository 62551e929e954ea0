/* What a hub says about its fabric: to commands, the dashboard and metrics. */
import type { FabricFacts, FabricOverview, WorkerOverview } from './fabric-overview.ts';
import type { Hub } from './hub.ts';
import { able } from './source.ts';

/** The side of this hub that uses the tools of others; undefined when it uses none. */
export function usedFabric({ sources }: Pick<Hub, 'sources'>): FabricOverview | undefined {
	return sources.map((source) => able(source, 'overview')?.overview()).find((found) => found !== undefined);
}

/** @param worker the tools that this hub announces to others */
export function fabricFacts(hub: Pick<Hub, 'sources'>, worker: WorkerOverview | undefined): FabricFacts {
	return { use: usedFabric(hub) ?? null, offer: worker ?? null };
}

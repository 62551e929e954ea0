/* The numbers of the overview: calls, fetched for a filter and again some seconds after new ones; and what the tool lists cost. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { OverviewReply } from '../../../api/api-calls.ts';
import type { CostsReply } from '../../../api/api-types.ts';
import { type Fetched, useFetched } from '../../components/use-fetched.ts';
import { pathWith, type Query } from '../../live/api-client.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { OVERVIEW_RENEW_MS } from '../../page-limits.ts';

/** @param minutes calls of the last so many minutes; 0 is all */
export function useOverview(query: Query, minutes: number): Signal<OverviewReply | undefined> {
	const dashboard = useDashboard();
	const reply = useSignal<OverviewReply | undefined>(undefined);
	useEffect(() => {
		let isNew = true;
		const closing = new AbortController();
		const load = async (): Promise<void> => {
			if (!isNew || document.hidden) return;
			isNew = false;
			const since = minutes === 0 ? undefined : Date.now() - minutes * 60_000;
			const loaded = await dashboard.api
				.get<OverviewReply>('/api/overview', { ...query, since }, closing.signal)
				.catch(() => undefined);
			if (loaded && !closing.signal.aborted) reply.value = loaded;
			if (!loaded) isNew = true; // it is fetched again
		};
		void load();
		const stop = dashboard.onCalls(() => {
			isNew = true;
		});
		const timer = setInterval(() => void load(), OVERVIEW_RENEW_MS);
		return () => {
			closing.abort();
			stop();
			clearInterval(timer);
		};
	}, [query['client'], query['backend'], minutes, dashboard.feed.opened.value]);
	return reply;
}

/** The tokens of the tool definitions, read again when the lists of the hub change. */
export function useToolCosts(): Fetched<CostsReply> {
	const { value: version } = useDashboard().catalogueVersion;
	// The hub answers for its newest version; this one makes it another address.
	return useFetched<CostsReply>(
		version === undefined ? undefined : pathWith('/api/costs', { version }),
		true,
	);
}

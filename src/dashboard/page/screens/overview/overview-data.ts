/* The numbers of the overview: fetched for a filter, and again some seconds after new calls. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { OverviewReply } from '../../../api/api-calls.ts';
import type { Query } from '../../live/api-client.ts';
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

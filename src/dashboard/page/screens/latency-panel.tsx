/* The chart of latency above the calls; renewed some seconds after new calls. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LatencyReply } from '../../api-calls.ts';
import type { CallList } from '../live/call-list.ts';
import { useDashboard } from '../live/dashboard.ts';
import { LatencyChart } from '../parts/call-charts.tsx';

const RENEW_MS = 3_000;

export function LatencyPanel({ list }: { list: CallList }): JSX.Element | null {
	const { api } = useDashboard();
	const reply = useSignal<LatencyReply | undefined>(undefined);
	useEffect(() => {
		let seen = -1;
		let isClosed = false;
		const load = async (): Promise<void> => {
			const version = list.version.peek();
			if (version === seen || document.hidden) return;
			seen = version;
			const loaded = await api.get<LatencyReply>('/api/calls/chart', list.query).catch(() => undefined);
			if (!isClosed && loaded) reply.value = loaded;
		};
		void load();
		const timer = setInterval(() => void load(), RENEW_MS);
		return () => {
			isClosed = true;
			clearInterval(timer);
		};
	}, [list]);
	const buckets = reply.value?.buckets ?? [];
	if (!buckets.some(({ p50 }) => p50 !== null)) return null;
	return (
		<div class="latency-panel">
			<LatencyChart buckets={buckets} />
		</div>
	);
}

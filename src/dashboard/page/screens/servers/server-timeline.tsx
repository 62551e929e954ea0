/* The life of one server: its calls over time with its starts and ends, its latency, and each event in words. */
import type { JSX } from 'preact';
import type { ServerPage } from '../../../api/api-catalogue.ts';
import { logsCommand } from '../../../commands/mctl-commands.ts';
import { LatencyChart, VolumeChart } from '../../components/call-charts.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { EmptyState, Panel, StateWord, WORD_HEALTH } from '../../components/panel.tsx';
import { routeHref } from '../../live/route.ts';
import { formatTime } from '../../text/quantities.ts';
import { visibleText } from '../../text/visible-text.tsx';
import { useOverview } from '../overview/overview-data.ts';

export function ServerTimeline({ page }: { page: ServerPage }): JSX.Element | null {
	const overview = useOverview({ backend: page.id }, 0);
	const reply = overview.value;
	const marks = page.history.map(({ at, state }) => ({
		at,
		state,
		health: WORD_HEALTH.get(state) ?? ('calm' as const),
	}));
	if (!reply || reply.all.count === 0) return null;
	return (
		<div class="plots">
			<Panel
				title="Calls, starts and ends"
				aside={<a href={routeHref('calls', '', { backend: page.id })}>Its calls</a>}
			>
				<VolumeChart buckets={reply.buckets} bucketMs={reply.bucketMs} marks={marks} />
			</Panel>
			<Panel title="Latency">
				<LatencyChart buckets={reply.buckets} />
			</Panel>
		</div>
	);
}

/** Its starts and ends, the newest first. */
export function HistoryPanel({ page }: { page: ServerPage }): JSX.Element {
	return (
		<Panel title="History">
			{page.history.length === 0 ? (
				<EmptyState title="It has not been started or stopped since the dashboard was opened.">
					{page.state === 'disabled' ? 'It is disabled.' : 'Its first call starts it.'} Earlier:{' '}
					<CommandText command={logsCommand(page)} />
				</EmptyState>
			) : (
				<ol class="history" tabIndex={0} aria-label="Starts and ends">
					{page.history.toReversed().map(({ at, state, message }) => (
						<li>
							<span class="number dim">{formatTime(at)}</span> <StateWord state={state} />{' '}
							{visibleText(message ?? '')}
						</li>
					))}
				</ol>
			)}
		</Panel>
	);
}

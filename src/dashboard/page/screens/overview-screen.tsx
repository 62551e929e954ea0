/* Overview: the hub, each backend with what can be done about it, the clients, the problems. */
import type { JSX } from 'preact';
import type { ClientRow, HubFacts, ProblemRow } from '../../api-types.ts';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { CommandText } from '../parts/command-text.tsx';
import { useNow } from '../parts/now.ts';
import { EmptyState, Fact, HintText, Panel } from '../parts/panel.tsx';
import { formatAge, formatBytes, formatCount, formatDuration, formatMs } from '../text/quantities.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { BackendList } from './backend-list.tsx';

export function OverviewScreen(): JSX.Element {
	const { state, approvals } = useDashboard();
	const current = state.value;
	if (!current) return <EmptyState title="Waiting for the state of the hub…" />;
	return (
		<>
			<HubStrip hub={current.hub} />
			{approvals.value.length > 0 && (
				<p class="banner">
					{approvals.value.length === 1 ? 'A call waits' : `${approvals.value.length} calls wait`} for your
					decision. <a href={routeHref('approvals')}>Decide</a>
				</p>
			)}
			{current.problems.length > 0 && <ProblemList problems={current.problems} />}
			<BackendList backends={current.backends} />
			<ClientList clients={current.clients} />
		</>
	);
}

function HubStrip({ hub }: { hub: HubFacts }): JSX.Element {
	const now = useNow();
	return (
		<dl class="strip">
			<Fact name="version">
				<VisibleText text={hub.version} isLine />
			</Fact>
			<Fact name="pid">{hub.pid}</Fact>
			<Fact name="up for">{formatDuration(now.value - hub.startedAt)}</Fact>
			<Fact name="memory">{formatBytes(hub.memoryBytes)}</Fact>
			<Fact name="event-loop delay">{formatMs(hub.loopDelayMs)}</Fact>
			<Fact name="in flight">{formatCount(hub.inFlight)}</Fact>
			<Fact name="calls">{formatCount(hub.calls)}</Fact>
		</dl>
	);
}

export function ProblemList({ problems }: { problems: readonly ProblemRow[] }): JSX.Element {
	return (
		<Panel title="Problems" aside={<CommandText command="mctl doctor" />}>
			<ul class="problems">
				{problems.map(({ message, hint, file, key }) => (
					<li>
						<p>
							<VisibleText text={message} />
						</p>
						{hint && (
							<p class="hint">
								<HintText hint={hint} />
							</p>
						)}
						{(file ?? key) !== null && (
							<p class="dim">
								<VisibleText text={[file, key].filter(Boolean).join(' · ')} isLine />
							</p>
						)}
					</li>
				))}
			</ul>
		</Panel>
	);
}

function ClientList({ clients }: { clients: readonly ClientRow[] }): JSX.Element {
	const now = useNow(5_000);
	return (
		<Panel title="Clients">
			{clients.length === 0 ? (
				<EmptyState title="No client is connected.">
					<p>
						Connect the agents on this machine with <CommandText command="mctl init" />
					</p>
				</EmptyState>
			) : (
				<div class="rows clients">
					{clients.map((client) => (
						<div class="row" key={client.sessionId}>
							<strong>
								<VisibleText text={client.name} isLine />
							</strong>
							<span class="dim">
								<VisibleText text={client.version ?? ''} isLine />
							</span>
							<span>{[client.era, client.revision].filter(Boolean).join(' · ') || '–'}</span>
							<span>
								<VisibleText text={client.transport} isLine />
							</span>
							<span class="number">
								{client.calls === 1 ? '1 call' : `${formatCount(client.calls)} calls`}
							</span>
							<span class="number dim">for {formatAge(client.since, now.value)}</span>
							<a href={routeHref('calls', '', { client: client.name })}>Calls</a>
						</div>
					))}
				</div>
			)}
		</Panel>
	);
}

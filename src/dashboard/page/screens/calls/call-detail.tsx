/* One call: phases as a waterfall, progress, logs, error with explanation, arguments. Live while it runs. */
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { attempt } from '../../../../errors.ts';
import type { CallDetails } from '../../../api/api-calls.ts';
import { LogMessages, ProgressLine, ProgressText } from '../../call/call-progress.tsx';
import { ElicitationForm } from '../../call/elicitation-form.tsx';
import { ReplayPanel } from '../../call/replay-panel.tsx';
import { PhaseWaterfall } from '../../components/charts.tsx';
import { CommandText, CopyButton } from '../../components/command-text.tsx';
import { JsonTree } from '../../components/json-tree.tsx';
import { ErrorText, Fact, NotFetched, Panel, StateWord } from '../../components/panel.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { formatBytes, formatCount, formatMs, formatTime } from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';

export function CallDetail({ number }: { number: number }): JSX.Element {
	const dashboard = useDashboard();
	const fetched = useFetched<CallDetails>(`/api/calls/${number}`);
	useEffect(() => {
		dashboard.follow({ call: number });
		return () => dashboard.follow({});
	}, [number]);
	const live = dashboard.call.value;
	const call = live?.number === number ? live : fetched.value.value;
	const isRunning = call?.outcome === 'running';
	useEffect(() => {
		// The event stream does not look for recordings.
		if (!isRunning && fetched.value.peek()?.outcome === 'running') fetched.reload();
	}, [isRunning]);
	if (!call) return <NotFetched fetched={fetched} title="Reading the call…" />;
	return <CallPage call={{ ...call, replay: fetched.value.value?.replay ?? null }} />;
}

function CallPage({ call }: { call: CallDetails }): JSX.Element {
	return (
		<article class="call-page">
			<header>
				<h2>{visibleLine(call.name)}</h2>
				<StateWord state={call.outcome} />
				{call.phase !== null && <span class="dim">phase {visibleLine(call.phase)}</span>}
				{call.ms !== null && <span class="number">{formatMs(call.ms)}</span>}
			</header>
			<CallFactList call={call} />
			{call.explanation && <ErrorText error={call.explanation} />}
			{call.phases.length > 0 && (
				<Panel title="Phases">
					<PhaseWaterfall phases={call.phases} />
				</Panel>
			)}
			<OwnCall call={call} />
			<CallCommands call={call} />
			<ReplayPanel call={call} />
			<CallArguments call={call} />
			<CallMessages call={call} />
		</article>
	);
}

function CallFactList({ call }: { call: CallDetails }): JSX.Element {
	return (
		<dl class="facts">
			<Fact name="began">{formatTime(call.at)}</Fact>
			<Fact name="client">{visibleLine(call.client)}</Fact>
			<Fact name="server">
				<a href={routeHref('servers', call.backend)}>{visibleLine(call.backend)}</a>
			</Fact>
			{call.worker !== null && (
				<Fact name="worker">
					<a href={routeHref('hubs', '')}>{visibleLine(call.worker)}</a>
				</Fact>
			)}
			<Fact name="method">{visibleLine(call.method)}</Fact>
			{call.policy !== null && (
				<Fact name="policy">{visibleLine([call.policy, call.rule].filter(Boolean).join(' · '))}</Fact>
			)}
			{call.plan !== null && (
				<Fact name="plan">
					<CommandText command={`mctl plan show ${call.plan.slice(0, 8)}`} />
				</Fact>
			)}
			{call.resultBytes !== null && <Fact name="result">{formatBytes(call.resultBytes)}</Fact>}
			{call.trace !== null && (
				<Fact name="trace">
					<code>{visibleLine(call.trace)}</code>
				</Fact>
			)}
		</dl>
	);
}

/** A call of this page: its elicitation, and its end. */
function OwnCall({ call }: { call: CallDetails }): JSX.Element | null {
	const run = useDashboard().runs.numbered(call.number);
	if (run?.status.value !== 'running') return null;
	const { value: elicitation } = run.elicitation;
	return (
		<>
			<p class="actions">
				<button type="button" onClick={() => run.cancel()}>
					Cancel
				</button>
			</p>
			{elicitation && <ElicitationForm key={elicitation.id} elicitation={elicitation} run={run} />}
		</>
	);
}

function CallCommands({ call }: { call: CallDetails }): JSX.Element {
	return (
		<p class="actions">
			{call.method === 'tools/call' && <a href={routeHref('tools', call.name)}>Open the tool</a>}
			<CopyButton label="Copy as JSON" text={() => JSON.stringify(call, null, 2)} />
			{call.command !== null && <CommandText command={call.command} />}
		</p>
	);
}

function CallArguments({ call }: { call: CallDetails }): JSX.Element | null {
	const value = useMemo(
		() => (call.arguments === null ? undefined : parsed(call.arguments)),
		[call.arguments],
	);
	if (call.arguments === null) return null;
	return (
		<Panel title="Arguments" aside={<CopyButton label="Copy" text={call.arguments} what="the arguments" />}>
			<JsonTree value={value} open={3} />
		</Panel>
	);
}

function CallMessages({ call }: { call: CallDetails }): JSX.Element | null {
	const last = call.progress.at(-1);
	if (!last && call.logs.length === 0) return null;
	return (
		<Panel title="Progress and logs">
			{last && <ProgressLine row={last} />}
			{call.dropped > 0 && <p class="dim">{formatCount(call.dropped)} messages are not retained.</p>}
			{call.progress.length > 1 && (
				<ol class="log" tabIndex={0} aria-label="Progress messages">
					{call.progress.map((row) => (
						<li>
							<span class="dim">{formatTime(row.at)}</span> <ProgressText row={row} />
						</li>
					))}
				</ol>
			)}
			<LogMessages rows={call.logs} />
		</Panel>
	);
}

function parsed(text: string): unknown {
	// The hub may have shortened it.
	return attempt(() => JSON.parse(text), text);
}

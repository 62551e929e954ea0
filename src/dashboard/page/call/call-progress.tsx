/* A call while it runs: state, progress bar, log lines, an elicitation of the tool. */
import type { JSX } from 'preact';
import { useNow } from '../components/now.ts';
import { StateWord } from '../components/panel.tsx';
import { routeHref } from '../live/route.ts';
import { formatCount, formatMs } from '../text/quantities.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';
import type { CallRun } from './call-run.ts';
import { ElicitationForm } from './elicitation-form.tsx';

export function CallProgressView({ run }: { run: CallRun }): JSX.Element | null {
	if (run.status.value === 'idle') return null;
	return (
		<div class="run" aria-live="polite">
			<p class="run-state">
				<StateWord state={run.status.value === 'done' ? 'ok' : run.status.value} />
				{run.ms.value !== undefined && <span class="number">{formatMs(run.ms.value)}</span>}
				{run.status.value === 'running' && <Elapsed from={run.startedAt} />}
				{run.number.value !== undefined && (
					<a href={routeHref('calls', String(run.number.value))}>Call {run.number.value}</a>
				)}
				{run.status.value === 'running' && (
					<button type="button" onClick={() => run.cancel()}>
						Cancel
					</button>
				)}
			</p>
			<ProgressBar run={run} />
			{run.elicitation.value && (
				<ElicitationForm key={run.elicitation.value.id} elicitation={run.elicitation.value} run={run} />
			)}
			<LogLines run={run} />
		</div>
	);
}

function Elapsed({ from }: { from: number }): JSX.Element {
	const now = useNow(100);
	return <span class="number dim">{formatMs(Math.max(0, now.value - from))}</span>;
}

function ProgressBar({ run }: { run: CallRun }): JSX.Element | null {
	const progress = run.progress.value;
	if (!progress) return null;
	const { progress: at, total, message } = progress;
	return (
		<p class="progress">
			{total !== null && at !== null ? <progress value={at} max={total} /> : <progress />}
			<span class="number">
				{at ?? ''}
				{total === null ? '' : ` of ${total}`}
			</span>
			{message !== null && visibleLine(message)}
		</p>
	);
}

function LogLines({ run }: { run: CallRun }): JSX.Element | null {
	const logs = run.logs.value;
	if (logs.length === 0) return null;
	return (
		<ol class="log" aria-label="Log messages" tabIndex={0}>
			{run.dropped.value > 0 && <li class="dim">{formatCount(run.dropped.value)} messages are left out.</li>}
			{logs.map(({ level, logger, text }) => (
				<li class={/^\w+$/.test(level) ? level : undefined}>
					<span class="dim">{visibleLine(logger === null ? level : `${level} ${logger}`)}</span>{' '}
					{visibleText(text)}
				</li>
			))}
		</ol>
	);
}

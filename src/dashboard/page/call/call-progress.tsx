/* A call of the page while it runs: state, progress bar, log lines, an elicitation of the tool, its error. */
import type { JSX } from 'preact';
import type { CallLogRow, ProgressRow } from '../../api/api-calls.ts';
import { useNow } from '../components/now.ts';
import { ErrorText, StateWord } from '../components/panel.tsx';
import { routeHref } from '../live/route.ts';
import { formatCount, formatMs, formatTime } from '../text/quantities.ts';
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
			{run.progress.value && <ProgressLine row={run.progress.value} isLive />}
			{run.elicitation.value && (
				<ElicitationForm key={run.elicitation.value.id} elicitation={run.elicitation.value} run={run} />
			)}
			{run.dropped.value > 0 && <p class="dim">{formatCount(run.dropped.value)} messages are left out.</p>}
			<LogMessages rows={run.logs.value} />
			{run.error.value && <ErrorText error={run.error.value} />}
		</div>
	);
}

function Elapsed({ from }: { from: number }): JSX.Element {
	const now = useNow(100);
	return <span class="number dim">{formatMs(Math.max(0, now.value - from))}</span>;
}

/** A progress message with its bar. @param isLive a bar moves also without a total */
export function ProgressLine({ row, isLive = false }: { row: ProgressRow; isLive?: boolean }): JSX.Element {
	const { progress, total } = row;
	const hasShare = total !== null && progress !== null;
	return (
		<p class="progress">
			{hasShare ? <progress value={progress} max={total} /> : isLive && <progress />}
			<ProgressText row={row} />
		</p>
	);
}

export function ProgressText({ row: { progress, total, message } }: { row: ProgressRow }): JSX.Element {
	return (
		<>
			<span class="number">
				{progress ?? ''}
				{total === null ? '' : ` of ${total}`}
			</span>{' '}
			{visibleLine(message ?? '')}
		</>
	);
}

export function LogMessages({ rows }: { rows: readonly CallLogRow[] }): JSX.Element | null {
	if (rows.length === 0) return null;
	return (
		<ol class="log" aria-label="Log messages" tabIndex={0}>
			{rows.map(({ at, level, logger, text }) => (
				<li class={/^\w+$/.test(level) ? level : undefined}>
					<span class="dim">
						{formatTime(at)} {visibleLine(logger === null ? level : `${level} ${logger}`)}
					</span>{' '}
					{visibleText(text)}
				</li>
			))}
		</ol>
	);
}

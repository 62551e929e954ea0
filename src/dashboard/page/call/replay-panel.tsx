/* Makes a recorded call again, when its button is pressed, and shows whether the answer is the same. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AnswerComparison, CallDetails } from '../../api/api-calls.ts';
import { CommandText } from '../components/command-text.tsx';
import { Panel } from '../components/panel.tsx';
import { useDashboard } from '../live/dashboard.ts';
import { visibleLine } from '../text/visible-text.tsx';
import { WordDiff } from '../text/word-diff.tsx';
import { CallProgressView } from './call-progress.tsx';

export function ReplayPanel({ call }: { call: CallDetails }): JSX.Element | null {
	const { runs } = useDashboard();
	const run = useMemo(() => runs.run(`replay ${call.number}`), [call.number]);
	if (call.replay === null) return null;
	const { value: comparison } = run.comparison;
	return (
		<Panel title="Replay">
			{call.method === 'tools/call' && (
				<p class="actions">
					<button
						type="button"
						disabled={run.status.value === 'running'}
						onClick={() => void runs.start(run, '/api/replay', { number: call.number })}
					>
						Make this call again
					</button>
					<span class="dim">with its recorded arguments; the tool does its work again</span>
					{call.command !== null && <CommandText command={call.command} />}
				</p>
			)}
			<p>
				The whole recording: <CommandText command={call.replay} />
			</p>
			<CallProgressView run={run} />
			{comparison && <Comparison comparison={comparison} />}
		</Panel>
	);
}

function Comparison({ comparison }: { comparison: AnswerComparison }): JSX.Element {
	if (comparison.isSame) return <p class="comparison">The answer is the same as the recorded one.</p>;
	return (
		<div class="comparison">
			<p>The answer differs from the recorded one:</p>
			<ul class="drift">
				{comparison.differences.map(({ path, before, after }) => (
					<li>
						<code>{visibleLine(path)}</code>
						<WordDiff before={before ?? ''} after={after ?? ''} />
					</li>
				))}
			</ul>
		</div>
	);
}

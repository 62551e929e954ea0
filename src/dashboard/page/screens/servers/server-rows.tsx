/* Servers: each on one line with its last 30 minutes, its items and what they cost. */
import type { JSX } from 'preact';
import { healthOf } from '../../../../hub/source-status.ts';
import type { SourceRow } from '../../../api/api-types.ts';
import { FailureShare, SparkBars } from '../../components/charts.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { StateWord } from '../../components/panel.tsx';
import { routeHref } from '../../live/route.ts';
import { formatCount, formatCounted, formatPercent } from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { useToolCosts } from '../overview/overview-data.ts';
import { SourcePanel } from './backend-list.tsx';

export function ServerRows({ backends }: { backends: readonly SourceRow[] }): JSX.Element {
	const costs = useToolCosts().value.value;
	const tokens = new Map(costs?.sources.map((source) => [source.backend, source.tokens]));
	const rowOf = (row: SourceRow): JSX.Element => (
		<ServerRow key={row.id} row={row} tokens={tokens.get(row.id)} />
	);
	const aside = (
		<span class="actions">
			<a href={routeHref('add')}>Add a server</a>
			<CommandText command="mctl list servers" />
		</span>
	);
	return <SourcePanel backends={backends} rows="server-rows" row={rowOf} aside={aside} />;
}

function ServerRow({ row, tokens }: { row: SourceRow; tokens: number | undefined }): JSX.Element {
	const { id, state, callsPerMinute, errorRate, tools } = row;
	const calls = callsPerMinute.reduce((sum, count) => sum + count, 0);
	return (
		<div class={`row${state === 'disabled' ? ' off' : ''}`}>
			<a class="name" href={routeHref('servers', id)}>
				{visibleLine(id)}
			</a>
			<StateWord state={state} health={healthOf(row)} />
			<SparkBars values={callsPerMinute} label={`${formatCounted(calls, 'call')} in 30 minutes`} />
			<FailureShare
				share={calls === 0 ? undefined : errorRate}
				label={`${formatPercent(errorRate)} of them failed`}
			/>
			<span class="number dim">{remarksOf(row).join(', ')}</span>
			<span class="number tools">{tools !== null && formatCounted(tools, 'tool')}</span>
			<span class="number dim tokens">{tokens !== undefined && `${formatCount(tokens)} tokens`}</span>
		</div>
	);
}

/** The remarks of a row, in words beside its colour. Starts without a sign-in fail, so they are not counted. */
function remarksOf({ needsSignIn, drifted, restarts, failedStarts }: SourceRow): string[] {
	if (needsSignIn) return ['needs a sign-in'];
	return [
		drifted > 0 ? formatCounted(drifted, 'changed tool') : '',
		restarts > 0 ? formatCounted(restarts, 'crash', 'crashes') : '',
		failedStarts > 0 ? formatCounted(failedStarts, 'failed start') : '',
	].filter(Boolean);
}

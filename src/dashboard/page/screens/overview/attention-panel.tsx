/* What needs attention, the worst first, each with what to do about it. */
import type { JSX } from 'preact';
import type { AttentionRow, SourceRow } from '../../../api/api-types.ts';
import { CommandText } from '../../components/command-text.tsx';
import { HintText, Panel } from '../../components/panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { visibleLine, visibleText } from '../../text/visible-text.tsx';
import { withoutDecisions } from '../servers/backend-list.tsx';
import { ServerActions } from '../servers/server-actions.tsx';
import { SignInButton } from '../servers/sign-in-button.tsx';

interface AttentionProps {
	readonly rows: readonly AttentionRow[];
	readonly backends: readonly SourceRow[];
}

export function AttentionPanel({ rows, backends }: AttentionProps): JSX.Element {
	const { approvals } = useDashboard();
	const waiting = approvals.value.length;
	if (waiting === 0 && rows.length === 0)
		return (
			<p class="all-well">
				<span class="state good">Nothing needs your attention.</span>
			</p>
		);
	return (
		<Panel title={`Needs attention (${rows.length + (waiting > 0 ? 1 : 0)})`}>
			<ul class="attention">
				{waiting > 0 && (
					<li>
						<p class="state warn">
							<strong>{waiting === 1 ? 'A call waits' : `${waiting} calls wait`} for your decision</strong>
						</p>
						<p class="actions">
							<a href={routeHref('approvals')}>Decide</a>
							<CommandText command="mctl approve" />
						</p>
					</li>
				)}
				{rows.map((row) => (
					<AttentionLine row={row} backend={backends.find(({ id }) => id === row.server)} />
				))}
			</ul>
		</Panel>
	);
}

function AttentionLine({ row, backend }: { row: AttentionRow; backend: SourceRow | undefined }): JSX.Element {
	const { level, kind, title, reason, hint, server, command } = row;
	return (
		<li>
			<p class={`state ${level}`}>
				<strong>{visibleLine(title)}</strong>
			</p>
			{reason && <p>{visibleText(reason)}</p>}
			{hint && (
				<p class="hint">
					<HintText hint={hint} />
				</p>
			)}
			<p class="actions">
				{server !== null && (
					<a href={routeHref('servers', server)}>{kind === 'drift' ? 'Review the changes' : 'Its output'}</a>
				)}
				{kind === 'server' && backend && <ServerActions server={withoutDecisions(backend)} />}
				{command && kind !== 'sign-in' && <CommandText command={command} />}
			</p>
			{kind === 'sign-in' && server !== null && <SignInButton server={server} />}
		</li>
	);
}

/* Changes of a server's tools since they were pinned, as a word diff, with the decision about them. */
import type { JSX } from 'preact';
import type { DriftRow, ServerPage } from '../../../api/api-catalogue.ts';
import { CommandText } from '../../components/command-text.tsx';
import { Panel } from '../../components/panel.tsx';
import { visibleLine, visibleText } from '../../text/visible-text.tsx';
import { WordDiff } from '../../text/word-diff.tsx';
import { ServerActions } from './server-actions.tsx';

export function DriftPanel({ page, onDone }: { page: ServerPage; onDone: () => void }): JSX.Element | null {
	if (page.drift.length === 0) return null;
	const decisions = page.actions.filter((action) => action === 'accept' || action === 'quarantine');
	return (
		<Panel
			title="Changes since it was pinned"
			aside={
				<ServerActions
					server={{ id: page.id, actions: decisions }}
					sha256={page.driftSha256}
					onDone={onDone}
				/>
			}
		>
			<ul class="drift">
				{page.drift.map((row) => (
					<Drift row={row} />
				))}
			</ul>
			<p class="actions">
				{decisions.map((action) => page.commands[action] && <CommandText command={page.commands[action]} />)}
			</p>
		</Panel>
	);
}

function Drift({ row }: { row: DriftRow }): JSX.Element {
	return (
		<li>
			<p>
				<span class={`tag ${row.change}`}>{row.change}</span> <span class="dim">{row.kind}</span>{' '}
				<strong>{visibleLine(row.name)}</strong>{' '}
				{row.part !== null && <span class="dim">{visibleLine(row.part)}</span>}
				{row.isQuarantined && <span class="tag">left out of lists until accepted</span>}
			</p>
			{row.findings.map((finding) => (
				<p class="finding">{visibleText(finding)}</p>
			))}
			{(row.before !== null || row.after !== null) && (
				<WordDiff before={row.before ?? ''} after={row.after ?? ''} />
			)}
		</li>
	);
}

/* Settings: the configuration as merged, and the file that each value comes from. */
import type { JSX } from 'preact';
import type { SettingRow, SettingsReply } from '../../api/api-catalogue.ts';
import type { ProblemRow } from '../../api/api-types.ts';
import { CommandText } from '../components/command-text.tsx';
import { EmptyState, HintText, NotFetched, Panel } from '../components/panel.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { useFetched } from '../components/use-fetched.ts';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { SHOWN_SETTINGS_LIMIT } from '../page-limits.ts';
import { formatCount } from '../text/quantities.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';

export function SettingsScreen(): JSX.Element {
	const { router, feed, state } = useDashboard();
	const root = state.value?.hub.root ?? '';
	const terms = (router.route.value.query['q'] ?? '').toLowerCase();
	// The hub answers with its current configuration; the number makes it another address.
	const fetched = useFetched<SettingsReply>(`/api/settings?read=${feed.configured.value}`, true);
	const reply = fetched.value.value;
	if (!reply) return <NotFetched fetched={fetched} title="Reading the configuration…" />;
	const rows = reply.values.filter(({ key, value, source }) =>
		`${key} ${value} ${source}`.toLowerCase().includes(terms),
	);
	return (
		<>
			{reply.problems.length > 0 && <ProblemList problems={reply.problems} root={root} />}
			<Panel title="Files" aside={<CommandText command="mctl doctor" />}>
				<ol class="files">
					{reply.files.map(({ path, kind, exists }) => (
						<li class={exists ? undefined : 'off'}>
							<code>{visibleLine(path)}</code>{' '}
							<span class="dim">
								{visibleLine(kind)}
								{exists ? '' : ', does not exist'}
							</span>
						</li>
					))}
				</ol>
				<p class="dim">
					An earlier file wins; rules and lists of all files are joined. Each value names where it comes from.
				</p>
				{reply.notes.map((note) => (
					<p class="dim">{visibleText(note)}</p>
				))}
			</Panel>
			<Panel title="Values">
				<SearchBox label="Filter settings" />
				<SettingTable rows={rows} root={root} isFiltered={terms !== ''} />
			</Panel>
		</>
	);
}

function SettingTable({
	rows,
	root,
	isFiltered,
}: {
	rows: readonly SettingRow[];
	root: string;
	isFiltered: boolean;
}): JSX.Element {
	if (rows.length === 0 && isFiltered)
		return (
			<EmptyState title="No value matches the filter.">
				<a href={routeHref('settings')}>Show all values</a>
			</EmptyState>
		);
	if (rows.length === 0)
		return (
			<EmptyState title="No file sets a value.">
				Write a configuration with <CommandText command="mctl init" />
			</EmptyState>
		);
	return (
		<div class="rows settings" role="table" aria-label="Values">
			{rows.slice(0, SHOWN_SETTINGS_LIMIT).map(({ key, value, source }) => (
				<div class="row" role="row">
					<code role="cell">{visibleLine(key)}</code>
					<code role="cell" class="setting-value">
						{visibleLine(value)}
					</code>
					<span role="cell" class={source === 'default' ? 'dim' : undefined}>
						{visibleLine(withinRoot(source, root))}
					</span>
				</div>
			))}
			{rows.length > SHOWN_SETTINGS_LIMIT && (
				<p class="dim">{formatCount(rows.length - SHOWN_SETTINGS_LIMIT)} more: search for them.</p>
			)}
		</div>
	);
}

function ProblemList({ problems, root }: { problems: readonly ProblemRow[]; root: string }): JSX.Element {
	return (
		<Panel title="Problems">
			<ul class="problems">
				{problems.map(({ message, hint, file, key }) => (
					<li>
						<p>{visibleText(message)}</p>
						{hint && (
							<p class="hint">
								<HintText hint={hint} />
							</p>
						)}
						{(file ?? key) !== null && (
							<p class="dim">
								{visibleLine([file && withinRoot(file, root), key].filter(Boolean).join(' · '))}
							</p>
						)}
					</li>
				))}
			</ul>
		</Panel>
	);
}

/** A path without the folder of the hub. */
function withinRoot(path: string, root: string): string {
	return root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

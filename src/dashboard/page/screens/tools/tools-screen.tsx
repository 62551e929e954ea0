/* Tools: everything that can be called or read, found as you type. */
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { MatchReason } from '../../../../search/document.ts';
import type { CatalogueKind, CatalogueReply, SearchReply } from '../../../api/api-catalogue.ts';
import { CommandText } from '../../components/command-text.tsx';
import { EmptyState, ErrorText, type Options, Toggle } from '../../components/panel.tsx';
import { SearchBox, useDebounced } from '../../components/search-box.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { VirtualList } from '../../components/virtual-list.tsx';
import { pathWith } from '../../live/api-client.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { SEARCH_ROWS_LIMIT } from '../../page-limits.ts';
import { formatCount } from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { ItemDetail } from './item-detail.tsx';
import { ReasonLine, ReasonList } from './match-reasons.tsx';

/** A row of the list: an item, and why it matched when there was a query. */
interface ItemRow {
	readonly kind: CatalogueKind;
	readonly name: string;
	readonly backend: string;
	readonly summary: string;
	readonly why: readonly MatchReason[];
}

const KINDS: Options<CatalogueKind | ''> = [
	['', 'All'],
	['tool', 'Tools'],
	['prompt', 'Prompts'],
	['resource', 'Resources'],
	['template', 'Templates'],
	['skill', 'Skills'],
];
const ROW_HEIGHT = 50;

export function ToolsScreen(): JSX.Element {
	const dashboard = useDashboard();
	const { id, query } = dashboard.router.route.value;
	const show = query['show'] ?? '';
	const terms = useDebounced(query['q'] ?? '');
	const search = useFetched<SearchReply>(searchPath(terms, show), true);
	const catalogue = useCatalogue();
	const hits = terms === '' ? undefined : search.value.value;
	const rows = useMemo(() => {
		const all = hits ? hits.hits : catalogueRows(catalogue, terms);
		return show === '' ? all : all.filter((row) => row.kind === show);
	}, [catalogue, hits, terms, show]);
	const href = (name: string, kind: string): string =>
		routeHref('tools', name, { q: query['q'], show, kind: kind === 'tool' ? '' : kind });
	const kind = (query['kind'] ?? 'tool') as CatalogueKind;
	const selected = rows.findIndex((row) => row.name === id && row.kind === kind);
	const list = (
		<>
			<SearchBox label="Search tools, prompts and resources" ms={hits?.ms} />
			<KindFilter catalogue={catalogue} show={show} />
			{search.error.value && <ErrorText error={search.error.value} />}
			<ItemList
				rows={rows}
				selected={selected}
				onOpen={(row) => dashboard.router.open(href(row.name, row.kind))}
				empty={
					<NoItems
						catalogue={catalogue}
						isSearching={terms !== ''}
						isReady={terms === '' || hits !== undefined}
					/>
				}
			/>
		</>
	);
	const detail = (
		<>
			<ItemDetail key={`${kind} ${id}`} kind={kind} name={id} />
			<ReasonList why={rows[selected]?.why ?? []} />
		</>
	);
	return (
		<SplitView
			list={list}
			detail={id === '' ? <NoneOpen /> : detail}
			isOpen={id !== ''}
			backHref={href('', '')}
		/>
	);
}

interface ItemListProps {
	readonly rows: readonly ItemRow[];
	readonly selected: number;
	/** Shown in place of no rows. */
	readonly empty: JSX.Element;
	readonly onOpen: (row: ItemRow) => void;
}

function ItemList({ rows, selected, empty, onOpen }: ItemListProps): JSX.Element {
	if (rows.length === 0) return empty;
	return (
		<VirtualList
			label="Tools"
			count={rows.length}
			rowHeight={ROW_HEIGHT}
			selected={selected}
			row={(index) => <ItemLine row={rows[index]} />}
			onOpen={(index) => {
				const row = rows[index];
				if (row) onOpen(row);
			}}
		/>
	);
}

/** The catalogue, fetched by the first view that needs it and kept up to date by events. */
function useCatalogue(): CatalogueReply | undefined {
	const dashboard = useDashboard();
	useEffect(() => {
		if (!dashboard.catalogue.peek()) void dashboard.loadCatalogue();
	}, []);
	return dashboard.catalogue.value;
}

/** The hub has a limit for each kind. */
function searchPath(terms: string, show: string): string | undefined {
	if (terms === '') return undefined;
	return pathWith('/api/search', { q: terms, limit: SEARCH_ROWS_LIMIT, kind: show && `${show}s` });
}

function NoneOpen(): JSX.Element {
	return (
		<EmptyState title="Open a tool to see what it takes, and to try it.">
			<kbd>/</kbd> searches, <kbd>↓</kbd> and <kbd>Enter</kbd> open. In a terminal:{' '}
			<CommandText command="mctl list" />
		</EmptyState>
	);
}

function KindFilter({
	catalogue,
	show,
}: {
	catalogue: CatalogueReply | undefined;
	show: string;
}): JSX.Element {
	const { router } = useDashboard();
	const { id, query } = router.route.value;
	const counts = useMemo(() => countKinds(catalogue), [catalogue]);
	return (
		<p class="chips" role="group" aria-label="Kind">
			{KINDS.filter(([kind]) => kind === '' || (counts.get(kind) ?? 0) > 0).map(([kind, title]) => (
				<Toggle
					isOn={kind === show}
					onClick={() => router.replace(routeHref('tools', id, { ...query, show: kind }))}
				>
					{title} <span class="dim">{formatCount(counts.get(kind) ?? 0)}</span>
				</Toggle>
			))}
		</p>
	);
}

function ItemLine({ row }: { row: ItemRow | undefined }): JSX.Element | null {
	if (!row) return null;
	return (
		<div class="item-row">
			<p class="item-name">
				<strong>{visibleLine(row.name)}</strong>
				{row.kind !== 'tool' && <span class="tag">{row.kind}</span>}
				<span class="dim backend">{visibleLine(row.backend)}</span>
			</p>
			<p class="dim">{row.why.length > 0 ? <ReasonLine why={row.why} /> : visibleLine(row.summary)}</p>
		</div>
	);
}

function NoItems({
	catalogue,
	isSearching,
	isReady,
}: {
	catalogue: CatalogueReply | undefined;
	isSearching: boolean;
	isReady: boolean;
}): JSX.Element {
	if (!catalogue) return <EmptyState title="Reading the catalogue…" />;
	if (!isReady) return <EmptyState title="Searching…" />;
	if (isSearching) return <EmptyState title="Nothing matches. Try other words: what it does, or on what." />;
	return (
		<EmptyState title="There are no tools yet.">
			Import servers with <CommandText command="mctl init" /> or write a tool with{' '}
			<CommandText command="mctl new tool hello" />
		</EmptyState>
	);
}

/** The catalogue; until the first reply of a search, the rows that have its terms. */
function catalogueRows(catalogue: CatalogueReply | undefined, terms: string): ItemRow[] {
	const wanted = terms.toLowerCase().split(/\s+/);
	const { rows = [], backends = [] } = catalogue ?? {};
	return rows
		.filter(([, name, , summary]) =>
			wanted.every((term) => `${name} ${summary}`.toLowerCase().includes(term)),
		)
		.map(([kind, name, backend, summary]) => ({
			kind,
			name,
			backend: backends[backend] ?? '',
			summary,
			why: [],
		}));
}

function countKinds(catalogue: CatalogueReply | undefined): Map<string, number> {
	const counts = new Map([['', catalogue?.rows.length ?? 0]]);
	for (const [kind] of catalogue?.rows ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	return counts;
}

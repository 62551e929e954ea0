/* Library: find the documents that a task needs, within a budget of tokens. */
import type { JSX } from 'preact';
import type { LibraryDocument, LibraryMatch, LibraryReply } from '../../api/api-catalogue.ts';
import { libraryCommand } from '../../commands/mctl-commands.ts';
import { CommandText, CopyButton } from '../components/command-text.tsx';
import { EmptyState, ErrorText, NotFetched } from '../components/panel.tsx';
import { SearchBox, useDebounced } from '../components/search-box.tsx';
import { SplitView } from '../components/split-view.tsx';
import { useFetched } from '../components/use-fetched.ts';
import { VirtualList } from '../components/virtual-list.tsx';
import { pathWith } from '../live/api-client.ts';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { MarkdownView } from '../text/markdown-view.tsx';
import { formatCount } from '../text/quantities.ts';
import { visibleLine } from '../text/visible-text.tsx';
import { ReasonLine, ReasonList } from './tools/match-reasons.tsx';

const ROW_HEIGHT = 68;

export function LibraryScreen(): JSX.Element {
	const { router } = useDashboard();
	const { id, query } = router.route.value;
	const terms = useDebounced(query['q'] ?? '');
	const found = useFetched<LibraryReply>(
		pathWith('/api/library', { q: terms, budget: query['budget'] }),
		true,
	);
	const reply = found.value.value;
	const list = (
		<>
			<SearchBox label="Describe the task" ms={reply?.ms} />
			<Budget reply={reply} />
			{found.error.value && <ErrorText error={found.error.value} />}
			{reply && reply.matches.length === 0 && <NoDocuments isEmpty={reply.total === 0} />}
			{reply && reply.matches.length > 0 && (
				<VirtualList
					label="Documents"
					count={reply.matches.length}
					rowHeight={ROW_HEIGHT}
					selected={reply.matches.findIndex(({ uri }) => uri === id)}
					row={(index) => <MatchLine match={reply.matches[index]} isSearching={terms !== ''} />}
					onOpen={(index) => router.open(routeHref('library', reply.matches[index]?.uri ?? '', query))}
				/>
			)}
		</>
	);
	const detail =
		id === '' ? (
			<EmptyState title="Open a document to read it.">
				In a terminal:{' '}
				<CommandText command={libraryCommand(terms || 'how to write a test', query['budget'] ?? '')} />
			</EmptyState>
		) : (
			<>
				<ReasonList why={reply?.matches.find(({ uri }) => uri === id)?.why ?? []} />
				<Document key={id} uri={id} />
			</>
		);
	return (
		<SplitView list={list} detail={detail} isOpen={id !== ''} backHref={routeHref('library', '', query)} />
	);
}

function Budget({ reply }: { reply: LibraryReply | undefined }): JSX.Element {
	const { router } = useDashboard();
	const { id, query } = router.route.value;
	return (
		<p class="budget">
			<label>
				Token budget{' '}
				<input
					type="number"
					min={0}
					step={500}
					placeholder="none"
					value={query['budget'] ?? ''}
					onInput={(event) =>
						router.replace(routeHref('library', id, { ...query, budget: event.currentTarget.value }))
					}
				/>
			</label>
			{reply && (
				<span class="dim">
					{formatCount(reply.tokens)} tokens in{' '}
					{formatCount(reply.matches.filter((match) => match.isWithinBudget).length)} of{' '}
					{formatCount(reply.total)} documents
					{reply.isCut && '; the first ones are shown'}
				</span>
			)}
		</p>
	);
}

function MatchLine({
	match,
	isSearching,
}: {
	match: LibraryMatch | undefined;
	isSearching: boolean;
}): JSX.Element | null {
	if (!match) return null;
	return (
		<div class={`item-row${match.isWithinBudget ? '' : ' off'}`}>
			<p class="item-name">
				<strong>{visibleLine(match.title || match.uri)}</strong>
				<span class="number dim">{formatCount(match.tokens)} tokens</span>
				{isSearching && (
					<span class="number dim" title="relative to the best match">
						score {match.score.toFixed(2)} <meter min={0} max={1} value={match.score} aria-hidden="true" />
					</span>
				)}
			</p>
			<p class="dim">
				{isSearching && match.why.length > 0 ? <ReasonLine why={match.why} /> : visibleLine(match.summary)}
			</p>
			<p class="dim uri">
				{visibleLine(match.uri)}
				{!match.isWithinBudget && ' · over the budget'}
			</p>
		</div>
	);
}

function NoDocuments({ isEmpty }: { isEmpty: boolean }): JSX.Element {
	if (!isEmpty) return <EmptyState title="Nothing matches. Try other words for the task." />;
	return (
		<EmptyState title="The library is empty.">
			Write a document with <CommandText command="mctl new resource hello" />
		</EmptyState>
	);
}

function Document({ uri }: { uri: string }): JSX.Element {
	const fetched = useFetched<LibraryDocument>(pathWith('/api/library/document', { uri }));
	const document = fetched.value.value;
	if (!document) return <NotFetched fetched={fetched} />;
	return (
		<article class="document">
			<p class="actions">
				<code>{visibleLine(document.uri)}</code>
				<CopyButton label="Copy URI" text={document.uri} what="the URI" />
				<span class="dim">{formatCount(document.tokens)} tokens</span>
				<CommandText command={document.command} />
			</p>
			<MarkdownView text={document.text} />
		</article>
	);
}

/* Results that were too long for their agents: the whole beside what the agent got. */
import type { JSX } from 'preact';
import { estimateTokens } from '../../../library/match/tokens.ts';
import type { ResultReply, ResultsReply } from '../../api/api-types.ts';
import { CommandText } from '../components/command-text.tsx';
import { useNow } from '../components/now.ts';
import { EmptyState, Fact, NotFetched, Panel } from '../components/panel.tsx';
import { useFetched, useRenewed } from '../components/use-fetched.ts';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { RESULT_ROWS_LIMIT } from '../page-limits.ts';
import { formatAge, formatBytes, formatCount } from '../text/quantities.ts';
import { TextBox, visibleLine } from '../text/visible-text.tsx';

export function ResultsScreen(): JSX.Element {
	const { router } = useDashboard();
	const { id } = router.route.value;
	return id === '' ? <ResultList /> : <ResultDetail handle={id} />;
}

function ResultList(): JSX.Element {
	const now = useNow(5_000);
	const fetched = useRenewed<ResultsReply>('/api/results');
	const reply = fetched.value.value;
	if (!reply) return <NotFetched fetched={fetched} title="Reading the results…" />;
	return (
		<Panel title="Stored results" aside={<CommandText command="mctl results ls" />}>
			{reply.results.length === 0 && (
				<EmptyState title="No result is stored.">
					A result that is too long for its agent is stored here, and the agent gets its first part and a
					handle.
				</EmptyState>
			)}
			<div class="rows task-rows">
				{reply.results.slice(0, RESULT_ROWS_LIMIT).map((row) => (
					<div class="row" key={row.handle}>
						<strong>
							<a href={routeHref('results', row.handle)}>{visibleLine(row.tool)}</a>
						</strong>
						<span class="dim">{visibleLine(row.client)}</span>
						<span class="number">{formatBytes(row.bytes)}</span>
						<span class="number dim">{formatAge(Date.parse(row.keptAt), now.value)} ago</span>
						<span class="dim">{visibleLine(row.mimeType)}</span>
						<code>{row.handle}</code>
						<span>{row.isPinned ? 'pinned' : ''}</span>
					</div>
				))}
			</div>
			{reply.results.length > RESULT_ROWS_LIMIT && (
				<p class="dim">{formatCount(reply.results.length - RESULT_ROWS_LIMIT)} older ones are not shown.</p>
			)}
		</Panel>
	);
}

function ResultDetail({ handle }: { handle: string }): JSX.Element {
	const fetched = useFetched<ResultReply>(`/api/results/${encodeURIComponent(handle)}`);
	const result = fetched.value.value;
	const back = (
		<p>
			<a href={routeHref('results')}>← All stored results</a>
		</p>
	);
	if (!result)
		return (
			<>
				{back}
				<NotFetched fetched={fetched} title="Reading the result…" />
			</>
		);
	return (
		<>
			{back}
			<ResultFacts result={result} handle={handle} />
			<ResultComparison result={result} />
		</>
	);
}

function ResultFacts({ result, handle }: { result: ResultReply; handle: string }): JSX.Element {
	return (
		<Panel title="Result" aside={<CommandText command={`mctl results show ${handle}`} />}>
			<dl class="strip">
				<Fact name="tool">{visibleLine(result.tool)}</Fact>
				<Fact name="client">{visibleLine(result.client)}</Fact>
				<Fact name="size">{formatBytes(result.bytes)}</Fact>
				<Fact name="type">{visibleLine(result.mimeType)}</Fact>
				<Fact name="ask">
					<CommandText command={`mctl results look ${handle} head`} />
				</Fact>
				<Fact name="pinned">
					{result.isPinned ? 'yes' : <CommandText command={`mctl results keep ${handle}`} />}
				</Fact>
			</dl>
		</Panel>
	);
}

/** The whole result beside what its client got of it. */
function ResultComparison({ result }: { result: ResultReply }): JSX.Element {
	const { text, shortened } = result;
	const structured = shortened?.structured ?? null;
	return (
		<div class="plots">
			<Panel title="Whole" aside={<Tokens text={text} isWhole={result.isWhole} />}>
				{text === null ? <EmptyState title="It is no text." /> : <TextBox text={text} />}
			</Panel>
			<Panel title="Shortened" aside={shortened && <Tokens text={shortened.text} isWhole />}>
				{shortened ? <TextBox text={shortened.text} /> : <EmptyState title="Its client got no first part." />}
			</Panel>
			{structured !== null && (
				<Panel title="Structured content of the shortened one" aside={<Tokens text={structured} isWhole />}>
					<TextBox text={structured} />
				</Panel>
			)}
		</div>
	);
}

/** The estimate of `mctl list --tokens`. */
function Tokens({ text, isWhole }: { text: string | null; isWhole: boolean }): JSX.Element | null {
	if (text === null) return null;
	return (
		<span class="dim">
			{isWhole ? '' : 'the first MiB: '}about {formatCount(estimateTokens(text))} tokens
		</span>
	);
}

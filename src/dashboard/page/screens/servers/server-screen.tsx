/* Servers: the list of them, or one with its output, its catalogue, its changes and its history. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { healthOf } from '../../../../hub/source-status.ts';
import type { CatalogueRow, ServerPage } from '../../../api/api-catalogue.ts';
import { logsCommand, serverCommand } from '../../../commands/mctl-commands.ts';
import { CommandText } from '../../components/command-text.tsx';
import { useNow } from '../../components/now.ts';
import { EmptyState, ErrorText, Fact, Panel, StateWord } from '../../components/panel.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { VirtualList } from '../../components/virtual-list.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { formatBytes, formatCount, formatDuration } from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { errorOfRow, withoutDecisions } from './backend-list.tsx';
import { DriftPanel } from './drift-panel.tsx';
import { PolicyControl } from './policy-control.tsx';
import { ServerActions } from './server-actions.tsx';
import { ServerOutput } from './server-output.tsx';
import { ServerRows } from './server-rows.tsx';
import { HistoryPanel, ServerTimeline } from './server-timeline.tsx';
import { SignInButton } from './sign-in-button.tsx';

export function ServerScreen(): JSX.Element {
	const { router, state } = useDashboard();
	const { id } = router.route.value;
	if (id === '' && !state.value) return <EmptyState title="Waiting for the state of the hub…" />;
	if (id === '') return <ServerRows backends={state.value?.backends ?? []} />;
	return <OneServer key={id} id={id} />;
}

function OneServer({ id }: { id: string }): JSX.Element {
	const dashboard = useDashboard();
	const fetched = useFetched<ServerPage>(`/api/servers/${encodeURIComponent(id)}`);
	const row = dashboard.state.value?.backends.find((backend) => backend.id === id);
	useEffect(() => {
		dashboard.follow({ server: id });
		return () => dashboard.follow({});
	}, [id]);
	// The rest of the page changes when the state does, its rules with the configuration. A server that was just added is
	// unknown until the hub has read the file.
	const { configured } = dashboard.feed;
	const changed = `${configured.value} ${row?.state} ${row?.pid} ${row?.tools} ${row?.drifted}`;
	useEffect(() => {
		if (fetched.value.peek() || fetched.error.peek()) fetched.reload();
	}, [changed]);
	const page = fetched.value.value;
	if (fetched.error.value && !page)
		return (
			<>
				<ErrorText error={fetched.error.value} />
				<EmptyState title="This server cannot be shown.">
					<a href={routeHref('servers')}>All servers</a>
				</EmptyState>
			</>
		);
	if (!page) return <EmptyState title="Reading…" />;
	return <ServerDetails page={{ ...page, ...row }} onDone={fetched.reload} />;
}

function ServerDetails({ page, onDone }: { page: ServerPage; onDone: () => void }): JSX.Element {
	const hasProcess = page.kind === 'mcp' || page.kind === 'plugin';
	const error = errorOfRow(page);
	return (
		<article class="server-page">
			<header>
				<a href={routeHref('servers')}>Servers</a>
				<h2>{visibleLine(page.id)}</h2>
				<StateWord state={page.state} health={healthOf(page)} />
				<ServerActions server={withoutDecisions(page)} onDone={onDone} />
			</header>
			<ServerFacts page={page} />
			{error && <ErrorText error={error} />}
			{page.needsSignIn && <SignInButton server={page.id} />}
			<ServerTimeline page={page} />
			<DriftPanel page={page} onDone={onDone} />
			<div class="columns">
				{hasProcess && <ServerOutput key={page.id} page={page} />}
				<CataloguePanel page={page} />
				{hasProcess && <HistoryPanel page={page} />}
				<RulesPanel page={page} onDone={onDone} />
				<CommandsPanel page={page} />
			</div>
		</article>
	);
}

function ServerFacts({ page }: { page: ServerPage }): JSX.Element {
	const now = useNow();
	return (
		<dl class="facts">
			<Fact name="kind">{visibleLine([page.kind, page.version, page.era].filter(Boolean).join(' · '))}</Fact>
			{page.pid !== null && <Fact name="pid">{page.pid}</Fact>}
			{page.memoryBytes !== null && <Fact name="memory">{formatBytes(page.memoryBytes)}</Fact>}
			{page.startedAt !== null && (
				<Fact name="up for">{formatDuration(now.value - Date.parse(page.startedAt))}</Fact>
			)}
			{page.tokens !== null && <Fact name="its tools cost">about {formatCount(page.tokens)} tokens</Fact>}
			{page.restarts > 0 && <Fact name="restarts">{formatCount(page.restarts)}</Fact>}
			{page.target !== null && (
				<Fact name="starts">
					<code>{visibleLine(page.target)}</code>
				</Fact>
			)}
			{page.source !== null && <Fact name="configured in">{visibleLine(page.source)}</Fact>}
			<Fact name="environment">
				{page.environment.length === 0 ? (
					<span class="dim">nothing besides the defaults</span>
				) : (
					page.environment.map((name) => <code class="tag">{visibleLine(name)}</code>)
				)}
			</Fact>
		</dl>
	);
}

function CataloguePanel({ page }: { page: ServerPage }): JSX.Element {
	const { router } = useDashboard();
	const { catalogue: rows } = page;
	const [step, command] = nextStep(page);
	const open = (index: number): void => {
		const [kind, name] = rows[index] ?? [];
		if (kind && name !== undefined)
			router.open(routeHref('tools', name, { kind: kind === 'tool' ? '' : kind }));
	};
	return (
		<Panel title={`Catalogue (${formatCount(rows.length)})`}>
			{rows.length === 0 ? (
				<EmptyState title="It has no items yet.">
					{step} {command && <CommandText command={command} />}
				</EmptyState>
			) : (
				<VirtualList
					label="Catalogue"
					count={rows.length}
					rowHeight={28}
					row={(index) => <CatalogueLine row={rows[index]} />}
					onOpen={open}
				/>
			)}
		</Panel>
	);
}

const NEW_COMMANDS: ReadonlyMap<string, string> = new Map([
	['tools', 'mctl new tool hello'],
	['library', 'mctl new resource hello'],
]);

/** The next step for a backend without anything to call: a sentence, and the command of it. */
function nextStep(page: ServerPage): readonly [string, string?] {
	const { id, kind, state, pid, lastError } = page;
	const write = NEW_COMMANDS.get(kind);
	if (write) return ['Write the first one with', write];
	if (state === 'disabled') return ['Enable it with', serverCommand('enable', id)];
	if (lastError) return ['It did not start, for the reason above. Check it with', 'mctl doctor'];
	if (state === 'starting') return ['It is starting; its items appear here.'];
	if (pid === null) return ['Start it with', serverCommand('start', id)];
	return ['It runs and lists nothing. Its output may say why:', logsCommand(page)];
}

function CatalogueLine({ row }: { row: CatalogueRow | undefined }): JSX.Element | null {
	if (!row) return null;
	const [kind, name, , summary] = row;
	return (
		<div class="catalogue-line">
			<span class="tag">{kind}</span>
			<strong>{visibleLine(name)}</strong>
			<span class="dim">{visibleLine(summary)}</span>
		</div>
	);
}

function RulesPanel({ page, onDone }: { page: ServerPage; onDone: () => void }): JSX.Element {
	return (
		<Panel title="Policy">
			{page.rules.length === 0 ? (
				<EmptyState title="No rule is about its tools: every client may call them." />
			) : (
				<ul class="rules">
					{page.rules.map(({ decision, match, rule, reason }) => (
						<li>
							<strong>{visibleLine(decision)}</strong> {visibleLine(match)}{' '}
							<span class="dim">{visibleLine([rule, reason].filter(Boolean).join(' · '))}</span>
						</li>
					))}
				</ul>
			)}
			<PolicyControl target={page.policyTarget} server={page.id} onDone={onDone} />
		</Panel>
	);
}

function CommandsPanel({ page }: { page: ServerPage }): JSX.Element {
	return (
		<Panel title="In a terminal">
			<ul class="commands">
				{Object.entries(page.commands).map(([name, command]) => (
					<li>
						<span class="dim">{visibleLine(name)}</span> <CommandText command={command} />
					</li>
				))}
			</ul>
		</Panel>
	);
}

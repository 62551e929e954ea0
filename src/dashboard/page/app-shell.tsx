/* What is around every view: navigation, connection, notices, keyboard. */
import { useSignal } from '@preact/signals';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { CommandText } from './components/command-text.tsx';
import { ErrorText } from './components/panel.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { useDashboard } from './live/dashboard.ts';
import { routeHref, type ViewName, viewNames } from './live/route.ts';
import { usePageKeys } from './page-keys.ts';
import { AddScreen } from './screens/add/add-screen.tsx';
import { ApprovalsScreen } from './screens/approvals/approvals-screen.tsx';
import { CallsScreen } from './screens/calls/calls-screen.tsx';
import { HubsScreen } from './screens/hubs-screen.tsx';
import { LibraryScreen } from './screens/library-screen.tsx';
import { OverviewScreen } from './screens/overview/overview-screen.tsx';
import { ResultsScreen } from './screens/results-screen.tsx';
import { ServerScreen } from './screens/servers/server-screen.tsx';
import { SettingsScreen } from './screens/settings-screen.tsx';
import { TasksScreen } from './screens/tasks-screen.tsx';
import { ToolsScreen } from './screens/tools/tools-screen.tsx';
import { UsageScreen } from './screens/usage-screen.tsx';
import { visibleLine, visibleText } from './text/visible-text.tsx';

const VIEWS: Readonly<Record<ViewName, { title: string; View: FunctionComponent }>> = {
	overview: { title: 'Overview', View: OverviewScreen },
	tools: { title: 'Tools', View: ToolsScreen },
	calls: { title: 'Calls', View: CallsScreen },
	servers: { title: 'Servers', View: ServerScreen },
	approvals: { title: 'Approvals', View: ApprovalsScreen },
	library: { title: 'Library', View: LibraryScreen },
	usage: { title: 'Usage', View: UsageScreen },
	tasks: { title: 'Tasks', View: TasksScreen },
	results: { title: 'Results', View: ResultsScreen },
	add: { title: 'Add', View: AddScreen },
	hubs: { title: 'Hubs', View: HubsScreen },
	settings: { title: 'Settings', View: SettingsScreen },
};

export function AppShell(): JSX.Element {
	const isHelpOpen = useSignal(false);
	const { router, approvals } = useDashboard();
	const { view } = router.route.value;
	const waiting = approvals.value.length;
	useEffect(() => {
		document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${VIEWS[view].title} · Orchestra`;
	}, [view, waiting]);
	usePageKeys(() => {
		isHelpOpen.value = true;
	});
	return (
		<>
			<a class="skip" href="#main" onClick={skipToMain}>
				Skip to the content
			</a>
			<header class="top">
				<HubName />
				<Navigation />
				<ConnectionState />
				<SignOutButton />
				<button
					type="button"
					class="quiet help"
					aria-label="Help and keys"
					onClick={() => (isHelpOpen.value = true)}
				>
					?
				</button>
			</header>
			<ConnectionBanner />
			<main id="main" class={`view-${view}`} tabIndex={-1}>
				<Guarded key={view} view={view} />
			</main>
			<NoticeList />
			{isHelpOpen.value && <HelpDialog onClose={() => (isHelpOpen.value = false)} />}
		</>
	);
}

/** A view that fails does not take the others with it. */
function Guarded({ view }: { view: ViewName }): JSX.Element {
	const [thrown, reset] = useErrorBoundary();
	const { View } = VIEWS[view];
	if (thrown === undefined) return <View />;
	return (
		<div class="empty">
			<ErrorText error={{ code: 'page', message: `This view failed: ${String(thrown)}` }} />
			<button type="button" onClick={reset}>
				Show it again
			</button>
		</div>
	);
}

/** The folder of the project; a tooltip has its whole path. */
function HubName(): JSX.Element {
	const { state } = useDashboard();
	const root = state.value?.hub.root ?? '';
	return (
		<div class="hub-name">
			<h1>Orchestra</h1>
			<span class="root" title={root}>
				{visibleLine(root.split(/[\\/]/).at(-1) || root)}
			</span>
		</div>
	);
}

function Navigation(): JSX.Element {
	const { router, approvals } = useDashboard();
	const { view } = router.route.value;
	return (
		<nav aria-label="Views">
			{viewNames.map((name) => (
				<a key={name} href={routeHref(name)} aria-current={name === view ? 'page' : undefined}>
					{VIEWS[name].title}
					{name === 'approvals' && approvals.value.length > 0 && (
						<span class="count" aria-label={`${approvals.value.length} waiting`}>
							{approvals.value.length}
						</span>
					)}
				</a>
			))}
		</nav>
	);
}

const CONNECTION_CLASS = {
	live: 'good',
	connecting: 'busy',
	paused: 'busy',
	lost: 'bad',
	'signed out': 'bad',
	restarted: 'bad',
} as const;

function ConnectionState(): JSX.Element {
	const { feed } = useDashboard();
	const connection = feed.connection.value;
	return (
		<span class={`connection state ${CONNECTION_CLASS[connection]}`} role="status">
			{connection}
		</span>
	);
}

function SignOutButton(): JSX.Element | null {
	const { api, feed } = useDashboard();
	if (feed.connection.value === 'signed out' || feed.connection.value === 'restarted') return null;
	const leave = async (): Promise<void> => {
		await api.post('/api/sign-out', {}).catch(() => undefined); // a hub that is gone knows no sign-in
		feed.signOut();
	};
	return (
		<button type="button" class="quiet" onClick={() => void leave()}>
			Sign out
		</button>
	);
}

function ConnectionBanner(): JSX.Element | null {
	const { feed } = useDashboard();
	if (feed.connection.value === 'lost')
		return (
			<p class="banner" role="alert">
				The connection to the hub is lost; what you see may be old. The page reconnects by itself. If the hub
				was stopped: <CommandText command="mctl dashboard" />
			</p>
		);
	if (feed.connection.value === 'restarted')
		return (
			<p class="banner" role="alert">
				The hub was restarted, and a new hub knows no sign-in. Sign in with{' '}
				<CommandText command="mctl dashboard" /> and this page goes on.
			</p>
		);
	if (feed.connection.value === 'signed out')
		return (
			<p class="banner" role="alert">
				This page is signed out. Sign in with <CommandText command="mctl dashboard" /> and it goes on.
			</p>
		);
	return null;
}

/** The notices of the last seconds, below the view. */
function NoticeList(): JSX.Element {
	const dashboard = useDashboard();
	return (
		<div class="notices" role="status" aria-live="polite">
			{dashboard.notices.value.map(({ id, text, command, error }) => (
				<div key={id} class={`notice${error ? ' bad' : ''}`}>
					<div>
						<p>{visibleText(text)}</p>
						{error && <ErrorText error={error} />}
						{command && <CommandText command={command} />}
					</div>
					<button type="button" class="quiet" aria-label="Dismiss" onClick={() => dashboard.dismiss(id)}>
						×
					</button>
				</div>
			))}
		</div>
	);
}

function skipToMain(event: Event): void {
	event.preventDefault();
	document.querySelector<HTMLElement>('#main')?.focus();
}

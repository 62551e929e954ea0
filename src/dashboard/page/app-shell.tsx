/* What is around every view: navigation, connection, notices, keyboard, help. */
import { useSignal } from '@preact/signals';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import type { Health } from '../../hub/source-status.ts';
import { CommandText } from './components/command-text.tsx';
import { ErrorText } from './components/panel.tsx';
import { useDashboard } from './live/dashboard.ts';
import type { FeedState } from './live/event-feed.ts';
import { routeHref, type ViewName, viewNames } from './live/route.ts';
import { pageKeys, usePageKeys } from './page-keys.ts';
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

interface ShownView {
	readonly title: string;
	readonly View: FunctionComponent;
	/** Shows the same in a terminal. */
	readonly command: string;
}

const VIEWS: Readonly<Record<ViewName, ShownView>> = {
	overview: { title: 'Overview', View: OverviewScreen, command: 'mctl hub status' },
	tools: { title: 'Tools', View: ToolsScreen, command: 'mctl list' },
	calls: { title: 'Calls', View: CallsScreen, command: 'mctl log' },
	servers: { title: 'Servers', View: ServerScreen, command: 'mctl hub ps' },
	approvals: { title: 'Approvals', View: ApprovalsScreen, command: 'mctl approve' },
	library: { title: 'Library', View: LibraryScreen, command: 'mctl find <task>' },
	usage: { title: 'Usage', View: UsageScreen, command: 'mctl usage' },
	tasks: { title: 'Tasks', View: TasksScreen, command: 'mctl tasks' },
	results: { title: 'Results', View: ResultsScreen, command: 'mctl results ls' },
	add: { title: 'Add', View: AddScreen, command: 'mctl init' },
	hubs: { title: 'Hubs', View: HubsScreen, command: 'mctl hub ls' },
	settings: { title: 'Settings', View: SettingsScreen, command: 'mctl doctor' },
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

const CONNECTION_CLASS: Readonly<Record<FeedState, Health>> = {
	live: 'good',
	connecting: 'busy',
	paused: 'busy',
	lost: 'bad',
	'signed out': 'bad',
	restarted: 'bad',
};

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

/** What is said about a connection that needs the user: the text before the command and after it. */
const BANNERS: Readonly<Partial<Record<FeedState, readonly [string, string]>>> = {
	lost: [
		'The connection to the hub is lost; what you see may be old. The page reconnects by itself. If the hub was stopped:',
		'',
	],
	restarted: [
		'The hub was restarted, and a new hub knows no sign-in. Sign in with',
		'and this page goes on.',
	],
	'signed out': ['This page is signed out. Sign in with', 'and it goes on.'],
};

function ConnectionBanner(): JSX.Element | null {
	const { feed } = useDashboard();
	const banner = BANNERS[feed.connection.value];
	if (!banner) return null;
	return (
		<p class="banner" role="alert">
			{banner[0]} <CommandText command="mctl dashboard" /> {banner[1]}
		</p>
	);
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

/** The keys, and where the same is found in a terminal. */
function HelpDialog({ onClose }: { onClose: () => void }): JSX.Element {
	const dialog = useRef<HTMLDialogElement>(null);
	useEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog ref={dialog} aria-label="Help" onClose={onClose}>
			<h2>Keys</h2>
			<dl class="keys">
				{pageKeys.map(([key, what]) => (
					<div>
						<dt>
							<kbd>{key}</kbd>
						</dt>
						<dd>{what}</dd>
					</div>
				))}
			</dl>
			<h2>In a terminal</h2>
			<dl class="keys">
				{Object.values(VIEWS).map(({ title, command }) => (
					<div>
						<dt>{title}</dt>
						<dd>
							<CommandText command={command} />
						</dd>
					</div>
				))}
			</dl>
			<form method="dialog">
				<button type="submit" class="primary">
					Close
				</button>
			</form>
		</dialog>
	);
}

function skipToMain(event: Event): void {
	event.preventDefault();
	document.querySelector<HTMLElement>('#main')?.focus();
}

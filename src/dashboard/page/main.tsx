/* The page starts here. */
import { render } from 'preact';
import { AppShell } from './app-shell.tsx';
import { Dashboard, DashboardProvider } from './live/dashboard.ts';

const root = document.querySelector('#app');
if (root) {
	const dashboard = new Dashboard();
	dashboard.feed.open();
	document.addEventListener('visibilitychange', () => dashboard.feed.onVisibility(document.hidden));
	root.replaceChildren();
	render(
		<DashboardProvider value={dashboard}>
			<AppShell />
		</DashboardProvider>,
		root,
	);
}

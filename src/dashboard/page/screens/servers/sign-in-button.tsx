/* Sign in to a server: the hub runs the command, and the page shows the address that it prints. */
import type { JSX } from 'preact';
import { CommandButton, CommandOutput, useCommandRun } from '../../call/command-panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';

export function SignInButton({ server }: { server: string }): JSX.Element {
	const dashboard = useDashboard();
	const run = useCommandRun();
	const onDone = (): void => {
		// It was refused for the lack of this sign-in.
		void dashboard.act(
			{ done: `Signed in to ${server}.`, failed: `${server} still refuses.` },
			`/api/servers/${encodeURIComponent(server)}/start`,
			{},
		);
	};
	return (
		<div class="sign-in">
			<CommandButton run={run} command={{ kind: 'sign-in', server }} label="Sign in" onDone={onDone} />
			<CommandOutput run={run}>
				<p class="state good">Signed in.</p>
			</CommandOutput>
		</div>
	);
}

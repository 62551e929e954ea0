/* The keys, and where the same is found in a terminal. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CommandText } from './components/command-text.tsx';
import { pageKeys } from './page-keys.ts';

const COMMANDS: readonly (readonly [string, string])[] = [
	['Overview', 'mctl hub status'],
	['Tools', 'mctl list'],
	['Calls', 'mctl log'],
	['Servers', 'mctl hub ps'],
	['Approvals', 'mctl approve'],
	['Library', 'mctl find <task>'],
	['Usage', 'mctl usage'],
	['Tasks', 'mctl tasks'],
	['Results', 'mctl results ls'],
	['Add', 'mctl init'],
	['Hubs', 'mctl hub ls'],
	['Settings', 'mctl doctor'],
];

export function HelpDialog({ onClose }: { onClose: () => void }): JSX.Element {
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
				{COMMANDS.map(([view, command]) => (
					<div>
						<dt>{view}</dt>
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

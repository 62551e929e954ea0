/* The button that runs a command, with the command beside it, and what the command said. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { commandText, type PageCommand } from '../../commands/page-commands.ts';
import { CommandText } from '../components/command-text.tsx';
import { ErrorText } from '../components/panel.tsx';
import { useDashboard } from '../live/dashboard.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';
import { CommandRun } from './command-run.ts';

/** A run that is ended with the component. */
export function useCommandRun(): CommandRun {
	const { api } = useDashboard();
	const run = useMemo(() => new CommandRun(api), []);
	useEffect(() => () => run.cancel(), [run]);
	return run;
}

interface CommandButtonProps {
	readonly run: CommandRun;
	/** Undefined while the form is incomplete. */
	readonly command: PageCommand | undefined;
	readonly label: string;
	readonly isPrimary?: boolean;
	/** Called when it succeeded. */
	readonly onDone?: () => void;
}

/** The button, and the command that it runs. */
export function CommandButton({ run, command, label, isPrimary, onDone }: CommandButtonProps): JSX.Element {
	const start = async (): Promise<void> => {
		if (command && (await run.run(command))) onDone?.();
	};
	return (
		<p class="command-button">
			<button
				type="button"
				class={isPrimary ? 'primary' : undefined}
				disabled={!command || run.isRunning.value}
				onClick={() => void start()}
			>
				{run.isRunning.value && run.last.value?.kind === command?.kind ? '…' : label}
			</button>
			{command && <CommandText command={commandText(command)} />}
		</p>
	);
}

/** Its lines, then its error or `children` when it succeeded. */
export function CommandOutput({
	run,
	children,
}: {
	run: CommandRun;
	children?: ComponentChildren;
}): JSX.Element | null {
	const lines = run.lines.value;
	if (lines.length === 0 && !run.isRunning.value && !run.error.value && !run.result.value) return null;
	return (
		<div class="command-output" role="status">
			{run.isRunning.value && (
				<p>
					<span class="state busy">running</span>{' '}
					<button type="button" class="quiet" onClick={() => run.cancel()}>
						Cancel
					</button>
				</p>
			)}
			{lines.length > 0 && (
				<ul class="log" tabIndex={0} aria-label="Output of the command">
					{lines.map((line) => (
						<li>
							<OutputLine line={line} />
						</li>
					))}
				</ul>
			)}
			{run.error.value && <ErrorText error={run.error.value} />}
			{run.result.value && children}
		</div>
	);
}

/** A line that is an address, as that of a sign-in, is a link. */
function OutputLine({ line }: { line: string }): JSX.Element {
	const url = /^\s*(https?:\/\/\S+)\s*$/.exec(line)?.[1];
	if (url === undefined || !URL.canParse(url)) return visibleText(line);
	return (
		<a href={url} target="_blank" rel="noopener noreferrer">
			{visibleLine(url)}
		</a>
	);
}

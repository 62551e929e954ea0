/* The button that runs a command, with the command beside it, and what the command said. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { commandText, type PageCommand } from '../../commands/page-commands.ts';
import { CommandText } from '../components/command-text.tsx';
import { ErrorText, StateWord } from '../components/panel.tsx';
import { useDashboard } from '../live/dashboard.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';
import { CallRun } from './call-run.ts';

const PATH = '/api/commands';

/** A run of commands that is ended with the component. @param first is run at once */
export function useCommandRun(first?: PageCommand): CallRun {
	const { api } = useDashboard();
	const run = useMemo(() => new CallRun(api), []);
	useEffect(() => {
		if (first) void run.start(PATH, first);
		return () => run.cancel();
	}, [run]);
	return run;
}

interface CommandButtonProps {
	readonly run: CallRun;
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
		if (command && (await run.start(PATH, command))) onDone?.();
	};
	const isRunning = run.status.value === 'running';
	return (
		<p class="command-button">
			<button
				type="button"
				class={isPrimary ? 'primary' : undefined}
				disabled={!command || isRunning}
				onClick={() => void start()}
			>
				{isRunning ? '…' : label}
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
	run: CallRun;
	children?: ComponentChildren;
}): JSX.Element | null {
	const lines = run.logs.value;
	const status = run.status.value;
	if (status === 'idle') return null;
	return (
		<div class="command-output" role="status">
			{status === 'canceled' && <StateWord state={status} />}
			{status === 'running' && (
				<p>
					<StateWord state={status} />{' '}
					<button type="button" class="quiet" onClick={() => run.cancel()}>
						Cancel
					</button>
				</p>
			)}
			{lines.length > 0 && (
				<ul class="log" tabIndex={0} aria-label="Output of the command">
					{lines.map(({ text }) => (
						<li>
							<OutputLine line={text} />
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

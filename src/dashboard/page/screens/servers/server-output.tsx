/* What a server writes to stderr, and to stdout besides messages: live, and at the end unless the reader scrolled up. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ServerPage } from '../../../api/api-catalogue.ts';
import type { LogLine } from '../../../api/api-types.ts';
import { logsCommand } from '../../../commands/mctl-commands.ts';
import { CommandText, CopyButton } from '../../components/command-text.tsx';
import { EmptyState, Panel } from '../../components/panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { linesAfter } from '../../live/log-lines.ts';
import { OUTPUT_LINES_LIMIT } from '../../page-limits.ts';
import { formatCount, formatTime } from '../../text/quantities.ts';
import { visibleLine, visibleText } from '../../text/visible-text.tsx';

/** Pixels from the end that still count as the end. */
const NEAR_END = 24;

export function ServerOutput({ page }: { page: ServerPage }): JSX.Element {
	const dashboard = useDashboard();
	const lines = useSignal<readonly LogLine[]>(page.log);
	const dropped = useSignal(0);
	// The page was fetched again: its lines, and those that came since.
	useEffect(() => {
		lines.value = [...page.log, ...linesAfter(page.log, lines.peek())];
	}, [page.log]);
	useEffect(
		() =>
			dashboard.onLog((event) => {
				if (event.server !== page.id) return;
				lines.value = [...lines.peek(), ...linesAfter(page.log, event.lines)].slice(-OUTPUT_LINES_LIMIT);
				dropped.value += event.dropped;
			}),
		[page.id, page.log],
	);
	const copied = (): string =>
		lines
			.peek()
			.map(({ text }) => text)
			.join('\n');
	return (
		<Panel title="Output" aside={<CopyButton label="Copy" text={copied} what="the output" />}>
			{lines.value.length === 0 ? (
				<EmptyState title="It wrote nothing to stderr yet.">
					New lines appear here, and in <CommandText command={logsCommand(page, true)} />
				</EmptyState>
			) : (
				<OutputLines lines={lines.value} />
			)}
			{dropped.value > 0 && (
				<p class="dim">{formatCount(dropped.value)} lines are left out: it writes too fast.</p>
			)}
			{page.logFile !== null && <p class="dim">All of it: {visibleLine(page.logFile)}</p>}
		</Panel>
	);
}

function OutputLines({ lines }: { lines: readonly LogLine[] }): JSX.Element {
	const box = useRef<HTMLOListElement>(null);
	const isAtEnd = useRef(true);
	useLayoutEffect(() => {
		if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
	}, [lines]);
	const onScroll = (event: Event): void => {
		const { scrollTop, scrollHeight, clientHeight } = event.currentTarget as HTMLElement;
		isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
	};
	return (
		<ol class="log output" ref={box} tabIndex={0} aria-label="Output of the server" onScroll={onScroll}>
			{lines.map(({ at, stream, text }) => (
				<li class={stream}>
					<span class="dim">
						{formatTime(at)} {stream === 'stderr' ? '' : stream}
					</span>{' '}
					{visibleText(text)}
				</li>
			))}
		</ol>
	);
}

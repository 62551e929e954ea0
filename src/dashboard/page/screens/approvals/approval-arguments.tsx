/*
 * The arguments of a call that waits: a row for each, its name and its value apart, short ones first.
 *
 * A row is read once all of it was on the screen; a folded one once it was unfolded. Only then may
 * the call be allowed, so no value can hide another one.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { escapedJson, escapedName } from '../../../../printable.ts';
import type { CallDetails, CallsReply } from '../../../api/api-calls.ts';
import type { ApprovalRow, ArgumentRow } from '../../../api/api-types.ts';
import { CopyButton } from '../../components/command-text.tsx';
import { Toggle } from '../../components/panel.tsx';
import type { ApiClient } from '../../live/api-client.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { FOLDED_VALUE_CHARACTERS } from '../../page-limits.ts';
import { formatCount } from '../../text/quantities.ts';
import { WordDiff } from '../../text/word-diff.tsx';

/** Earlier calls among which the last one is looked for. */
const LOOKED_AT = 50;
/** A row counts as on the screen when this part of it is, or when it fills this part of the screen. */
const SEEN_SHARE = 0.9;
const SHARES = [0, 0.25, 0.5, 0.75, SEEN_SHARE, 1];

interface ArgumentListProps {
	readonly approval: ApprovalRow;
	readonly rows: readonly ArgumentRow[];
	/** The row at this place was read. */
	readonly onRead: (at: number) => void;
}

export function ApprovalArguments({ approval, rows, onRead }: ArgumentListProps): JSX.Element {
	const { api } = useDashboard();
	const earlier = useSignal<ReadonlyMap<string, string> | undefined>(undefined);
	const difference = useSignal('');
	const compare = async (): Promise<void> => {
		earlier.value = await lastArguments(api, approval).catch(() => undefined);
		difference.value = differenceText(earlier.value, rows);
	};
	const toggleEarlier = (): void => {
		difference.value = '';
		if (earlier.peek() === undefined) void compare();
		else earlier.value = undefined;
	};
	if (rows.length === 0) return <p class="dim">The call has no arguments.</p>;
	return (
		<>
			<table class="arguments" aria-label="Arguments">
				<tbody>
					{rows.map((row, at) => (
						<Argument row={row} before={earlier.value?.get(row.name)} onRead={() => onRead(at)} />
					))}
				</tbody>
			</table>
			<p class="actions">
				<Toggle isOn={earlier.value !== undefined} onClick={toggleEarlier}>
					Compare with the last call
				</Toggle>
				<CopyButton
					label="Copy"
					text={rows.map(({ name, text }) => `${name}: ${text}`).join('\n')}
					what="the arguments"
				/>
				<span class="dim" role="status">
					{difference}
				</span>
			</p>
		</>
	);
}

interface ArgumentProps {
	readonly row: ArgumentRow;
	/** The value of the last call, when it is compared. */
	readonly before: string | undefined;
	readonly onRead: () => void;
}

function Argument({ row, before, onRead }: ArgumentProps): JSX.Element {
	const isOpen = useSignal(false);
	const box = useRef<HTMLTableRowElement>(null);
	useEffect(() => (row.isLong || box.current === null ? undefined : whenSeen(box.current, onRead)), []);
	const toggle = (): void => {
		isOpen.value = !isOpen.value;
		onRead();
	};
	const isFolded = row.isLong && !isOpen.value;
	const text = isFolded ? row.text.slice(0, FOLDED_VALUE_CHARACTERS) : row.text;
	const isShort = row.leftOut > 0 || text !== row.text;
	return (
		<tr ref={box}>
			<th scope="row">
				<bdi dir="ltr">{escapedParts(row.name, false)}</bdi>
			</th>
			<td>
				{row.isLong && (
					<p class="size">
						<Toggle isOn={isOpen.value} onClick={toggle}>
							{isOpen.value ? 'Fold' : 'Unfold'}
						</Toggle>{' '}
						<span class="dim">
							{formatCount(row.characters)} characters, SHA-256 <code>{row.sha256}</code>
						</span>
					</p>
				)}
				{before === undefined || before === row.text || isFolded ? (
					<bdi dir="ltr" class="value">
						{escapedParts(text, row.isLong && !isFolded)}
					</bdi>
				) : (
					<WordDiff before={before} after={text} />
				)}
				{isShort && <em class="dim"> … {leftOutText(row, isFolded)}</em>}
				{row.hasSecret && <em class="dim"> (a secret is replaced by •••)</em>}
			</td>
		</tr>
	);
}

function leftOutText({ leftOut }: ArgumentRow, isFolded: boolean): string {
	return isFolded ? 'folded' : `the last ${formatCount(leftOut)} characters are too long to show`;
}

/** Call `onSeen` once when the whole row was on the screen. Returns the function that stops. */
function whenSeen(row: HTMLElement, onSeen: () => void): () => void {
	const observer = new IntersectionObserver(
		(entries) => {
			const isSeen = entries.some(
				({ intersectionRatio, intersectionRect, rootBounds }) =>
					intersectionRatio >= SEEN_SHARE ||
					(rootBounds !== null && intersectionRect.height >= SEEN_SHARE * rootBounds.height),
			);
			if (!isSeen) return;
			observer.disconnect();
			onSeen();
		},
		{ threshold: SHARES },
	);
	observer.observe(row);
	return () => observer.disconnect();
}

/** Text of `escapedJson` with its escapes as marks. A line break follows its mark where the value has room of its own. */
function escapedParts(text: string, breaksLines: boolean): ComponentChildren {
	const parts = text.match(/(?:[^\\]|\\["\\/])+|(?:\\(?:u[\da-f]{4}|[bfnrt]))+|\\/g) ?? [];
	return parts.map((part) => {
		if (!/^\\[^"\\/]/.test(part)) return part;
		const breaks = breaksLines ? '\n'.repeat(part.split('\\n').length - 1) : '';
		return (
			<>
				<span class="escape" title="a line break, a tab or an invisible character">
					{part}
				</span>
				{breaks}
			</>
		);
	});
}

function differenceText(
	earlier: ReadonlyMap<string, string> | undefined,
	rows: readonly ArgumentRow[],
): string {
	if (earlier === undefined) return 'The page knows no earlier call of it with its arguments.';
	const missing = [...earlier.keys()].filter((name) => rows.every((row) => row.name !== name));
	const added = rows.filter(({ name }) => !earlier.has(name)).map(({ name }) => name);
	const sentences = [
		...(missing.length > 0 ? [`Only in the last call: ${missing.join(', ')}.`] : []),
		...(added.length > 0 ? [`Not in the last call: ${added.join(', ')}.`] : []),
	];
	return sentences.join(' ');
}

/** The arguments of the last call of this tool and client that was made, as `escapedJson`, by `escapedName`. */
async function lastArguments(
	api: ApiClient,
	{ tool, client }: ApprovalRow,
): Promise<ReadonlyMap<string, string> | undefined> {
	const { rows } = await api.get<CallsReply>('/api/calls', { tool, client, outcome: 'ok', limit: LOOKED_AT });
	const last = rows.find((row) => row.name === tool && row.client === client);
	if (last === undefined) return undefined;
	const { arguments: json } = await api.get<CallDetails>(`/api/calls/${last.number}`);
	if (json === null) return undefined;
	const input: unknown = JSON.parse(json);
	const entries = typeof input === 'object' && input !== null ? Object.entries(input) : [];
	return new Map(entries.map(([name, value]) => [escapedName(name), escapedJson(value)]));
}

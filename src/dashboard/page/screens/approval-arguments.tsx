/* The arguments of a call that waits: whole, and compared with those of the last call of the same tool and client. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { readableJson } from '../../../printable.ts';
import type { CallDetails, CallsReply } from '../../api-calls.ts';
import type { ApprovalRow } from '../../api-types.ts';
import type { ApiClient } from '../live/api-client.ts';
import { useDashboard } from '../live/dashboard.ts';
import { CopyButton } from '../parts/command-text.tsx';
import { Toggle } from '../parts/panel.tsx';
import { formatCount } from '../text/quantities.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { WordDiff } from '../text/word-diff.tsx';

/** Lines that fit into the box. */
const SHOWN_LINES = 16;
/** Characters of one line of the box on a narrow screen. */
const LINE_CHARACTERS = 40;
/** Earlier calls among which the last one is looked for. */
const LOOKED_AT = 50;

export function ApprovalArguments({ approval, text }: { approval: ApprovalRow; text: string }): JSX.Element {
	const { api } = useDashboard();
	const isWhole = useSignal(false);
	const earlier = useSignal<string | undefined>(undefined);
	const note = useSignal('');
	const compare = async (): Promise<void> => {
		earlier.value = await lastArguments(api, approval).catch(() => undefined);
		note.value =
			earlier.value === undefined ? 'The page knows no earlier call of it with its arguments.' : '';
	};
	const toggleEarlier = (): void => {
		if (earlier.peek() === undefined) void compare();
		else earlier.value = undefined;
	};
	return (
		<>
			<div
				class={`arguments${isWhole.value ? ' whole' : ''}`}
				role="group"
				aria-label="Arguments"
				tabIndex={0}
			>
				{earlier.value === undefined ? (
					<VisibleText text={text} />
				) : (
					<WordDiff before={earlier.value} after={text} />
				)}
			</div>
			<p class="actions">
				{lineCount(text) > SHOWN_LINES && (
					<Toggle isOn={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)}>
						Show all {formatCount(text.length)} characters
					</Toggle>
				)}
				<Toggle isOn={earlier.value !== undefined} onClick={toggleEarlier}>
					Compare with the last call
				</Toggle>
				<CopyButton label="Copy" text={text} what="the arguments" />
				<span class="dim" role="status">
					{note}
				</span>
			</p>
		</>
	);
}

function lineCount(text: string): number {
	const lines = text.split('\n');
	return lines.reduce((count, line) => count + 1 + Math.floor(line.length / LINE_CHARACTERS), 0);
}

/** The arguments of the last call of this tool and client that was made, in the form of `argumentText`. */
async function lastArguments(api: ApiClient, { tool, client }: ApprovalRow): Promise<string | undefined> {
	const { rows } = await api.get<CallsReply>('/api/calls', { tool, client, outcome: 'ok', limit: LOOKED_AT });
	const last = rows.find((row) => row.name === tool && row.client === client);
	if (last === undefined) return undefined;
	const { arguments: json } = await api.get<CallDetails>(`/api/calls/${last.number}`);
	if (json === null) return undefined;
	return readableJson(JSON.stringify(JSON.parse(json), undefined, 2));
}

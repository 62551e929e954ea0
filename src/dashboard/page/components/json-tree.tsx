/* A JSON value as a tree that opens and closes. Children are made when their parent is opened. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { NESTING_DEPTH } from '../../../core-limits.ts';
import { formatCount } from '../text/quantities.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';

interface JsonTreeProps {
	readonly value: unknown;
	readonly name?: string | undefined;
	/** Levels that are open at first. */
	readonly open?: number;
}

/** Children that are shown at first; more on demand. */
const PAGE = 100;
const SHORT_STRING = 600;

export function JsonTree({ value, name, open = 2 }: JsonTreeProps): JSX.Element {
	return (
		<div class="json-tree">
			<Node value={value} name={name} open={open} depth={0} />
		</div>
	);
}

type NodeProps = JsonTreeProps & { readonly depth: number };

function Node({ value, name, open = 0, depth }: NodeProps): JSX.Element {
	if (typeof value === 'object' && value !== null && depth < NESTING_DEPTH)
		return <Branch value={value} name={name} open={open} depth={depth} />;
	return (
		<div class="leaf">
			<Key name={name} />
			<Leaf value={value} />
		</div>
	);
}

function Branch({ value, name, open = 0, depth }: NodeProps & { value: object }): JSX.Element {
	const isOpen = useSignal(open > 0);
	const shown = useSignal(PAGE);
	const isList = Array.isArray(value);
	const keys = Object.keys(value);
	if (keys.length === 0)
		return (
			<div class="leaf">
				<Key name={name} />
				<span class="dim">{isList ? '[]' : '{}'}</span>
			</div>
		);
	return (
		<details open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
			<summary>
				<Key name={name} />
				<span class="dim">{isList ? `[${formatCount(keys.length)}]` : `{${formatCount(keys.length)}}`}</span>
			</summary>
			{isOpen.value &&
				keys
					.slice(0, shown.value)
					.map((key) => (
						<Node
							key={key}
							value={(value as Record<string, unknown>)[key]}
							name={key}
							open={open - 1}
							depth={depth + 1}
						/>
					))}
			{isOpen.value && keys.length > shown.value && (
				<button type="button" class="quiet" onClick={() => (shown.value += PAGE)}>
					{formatCount(keys.length - shown.value)} more
				</button>
			)}
		</details>
	);
}

function Key({ name }: { name: string | undefined }): JSX.Element | null {
	return name === undefined ? null : <span class="key">{visibleLine(name)}: </span>;
}

function Leaf({ value }: { value: unknown }): JSX.Element {
	const isWhole = useSignal(false);
	if (typeof value !== 'string') return <span class={`value ${typeof value}`}>{JSON.stringify(value)}</span>;
	const isCut = value.length > SHORT_STRING && !isWhole.value;
	return (
		<span class="value string">
			"{visibleText(isCut ? value.slice(0, SHORT_STRING) : value)}"
			{isCut && (
				<button type="button" class="quiet" onClick={() => (isWhole.value = true)}>
					all {formatCount(value.length)} characters
				</button>
			)}
		</span>
	);
}

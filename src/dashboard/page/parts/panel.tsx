/* The small parts that every view is made of. */
import type { ComponentChildren, JSX } from 'preact';
import type { ApiError } from '../../api-types.ts';
import { VisibleText } from '../text/visible-text.tsx';
import { CommandText } from './command-text.tsx';

interface PanelProps {
	readonly title: string;
	/** On the right of the title. */
	readonly aside?: ComponentChildren;
	readonly children: ComponentChildren;
}

export function Panel({ title, aside, children }: PanelProps): JSX.Element {
	return (
		<section class="panel" aria-label={title}>
			<header>
				<h2>{title}</h2>
				{aside}
			</header>
			{children}
		</section>
	);
}

/** What to do when there is nothing to show. */
export function EmptyState({
	title,
	children,
}: {
	title: string;
	children?: ComponentChildren;
}): JSX.Element {
	return (
		<div class="empty">
			<p class="title">{title}</p>
			{children}
		</div>
	);
}

/** An error with its code, its sentence and what to do about it. */
export function ErrorText({ error }: { error: ApiError }): JSX.Element {
	return (
		<div class="error-text" role="alert">
			<p>
				<code>{<VisibleText text={error.code} isLine />}</code> <VisibleText text={error.message} />
			</p>
			{error.hint && (
				<p class="hint">
					<HintText hint={error.hint} />
				</p>
			)}
		</div>
	);
}

/** A hint; a command in it can be copied. */
export function HintText({ hint }: { hint: string }): JSX.Element {
	const parts = hint.split(/`(mctl [^`]+)`/);
	return (
		<span>
			{parts.map((part, at) => (at % 2 === 1 ? <CommandText command={part} /> : <VisibleText text={part} />))}
		</span>
	);
}

const STATE_CLASS: ReadonlyMap<string, string> = new Map([
	['ready', 'good'],
	['ok', 'good'],
	['running', 'busy'],
	['starting', 'busy'],
	['failed', 'bad'],
	['error', 'bad'],
	['crashed', 'bad'],
	['ended', 'bad'],
	['did not start', 'bad'],
	['started', 'good'],
	['idle', 'good'],
	['held', 'warn'],
	['invalid', 'bad'],
	['unhealthy', 'warn'],
	['canceled', 'warn'],
	['untrusted', 'warn'],
]);

/** A state or an outcome: a dot of its colour, and the word. */
export function StateWord({ state }: { state: string }): JSX.Element {
	return (
		<span class={`state ${STATE_CLASS.get(state) ?? 'calm'}`}>
			<VisibleText text={state} isLine />
		</span>
	);
}

/** A name and its value, in a list of facts. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
	return (
		<div class="fact">
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

interface ToggleProps {
	readonly isOn: boolean;
	readonly onClick: () => void;
	readonly children: ComponentChildren;
}

/** A quiet button that is on or off. */
export function Toggle({ isOn, onClick, children }: ToggleProps): JSX.Element {
	return (
		<button type="button" class="quiet" aria-pressed={isOn} onClick={onClick}>
			{children}
		</button>
	);
}

/* The small components of every screen. */
import type { ComponentChildren, JSX } from 'preact';
import type { Health } from '../../../hub/source-status.ts';
import type { ApiError } from '../../api/api-types.ts';
import { attributeText, visibleLine, visibleText } from '../text/visible-text.tsx';
import { CommandText } from './command-text.tsx';
import type { Fetched } from './use-fetched.ts';

interface PanelProps {
	readonly title: string;
	/** The content on the right of the title. */
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

/** The message and the next step when there is nothing to show. */
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
			{children && <p>{children}</p>}
		</div>
	);
}

/** An error with its code, its sentence and what to do about it. */
export function ErrorText({ error }: { error: ApiError }): JSX.Element {
	return (
		<div class="error-text" role="alert">
			<p>
				<code>{visibleLine(error.code)}</code> {visibleText(error.message)}
			</p>
			{error.hint && (
				<p class="hint">
					<HintText hint={error.hint} />
				</p>
			)}
		</div>
	);
}

/** In place of a value that is not there yet, or could not be read. */
export function NotFetched({
	fetched,
	title = 'Reading…',
}: {
	fetched: Pick<Fetched<unknown>, 'error'>;
	title?: string;
}): JSX.Element {
	return fetched.error.value ? <ErrorText error={fetched.error.value} /> : <EmptyState title={title} />;
}

/** A hint; a command in it can be copied. */
export function HintText({ hint }: { hint: string }): JSX.Element {
	const parts = hint.split(/`(mctl [^`]+)`/);
	return (
		<span>
			{parts.map((part, at) => (at % 2 === 1 ? <CommandText command={part} /> : visibleText(part)))}
		</span>
	);
}

/** Outcomes of calls, and the events in the history of a server. */
export const WORD_HEALTH: ReadonlyMap<string, Health> = new Map([
	['ok', 'good'],
	['running', 'busy'],
	['failed', 'bad'],
	['error', 'bad'],
	['canceled', 'warn'],
	['started', 'good'],
	['crashed', 'bad'],
	['ended', 'bad'],
	['did not start', 'bad'],
]);

/** A state or an outcome: a dot of its colour, and the word. @param health default: that of an outcome */
export function StateWord({ state, health }: { state: string; health?: Health }): JSX.Element {
	return <span class={`state ${health ?? WORD_HEALTH.get(state) ?? 'calm'}`}>{visibleLine(state)}</span>;
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

/** Values and what is shown of each. */
export type Options<T extends string> = readonly (readonly [value: T, shown: string])[];

/** Values that are shown as they are. */
export function plainOptions<T extends string>(...values: T[]): Options<T> {
	return values.map((each) => [each, each]);
}

interface ChoiceProps<T extends string> {
	readonly label: string;
	readonly options: Options<T>;
	readonly value: T;
	readonly onPick: (value: T) => void;
}

/** Buttons of which one is on. */
export function Toggles<T extends string>({ label, options, value, onPick }: ChoiceProps<T>): JSX.Element {
	return (
		<span class="actions" role="group" aria-label={label}>
			{options.map(([each, shown]) => (
				<Toggle isOn={each === value} onClick={() => onPick(each)}>
					{shown}
				</Toggle>
			))}
		</span>
	);
}

/** A choice of many values. */
export function Select<T extends string>({ label, options, value, onPick }: ChoiceProps<T>): JSX.Element {
	return (
		<select
			aria-label={attributeText(label)}
			value={value}
			// The browser gives the value of an option.
			onChange={(event) => onPick(event.currentTarget.value as T)}
		>
			{options.map(([each, shown]) => (
				<option value={each}>{attributeText(shown)}</option>
			))}
		</select>
	);
}

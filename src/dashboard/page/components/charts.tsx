/* Small charts as SVG: attributes only, because the page's policy forbids inline styles. */
import type { ComponentChildren, JSX } from 'preact';
import type { CallPhaseRow } from '../../api/api-calls.ts';
import { formatMs, formatPercent } from '../text/quantities.ts';
import { attributeText, visibleLine } from '../text/visible-text.tsx';

/** A row of bars, one per minute. */
export function SparkBars({ values, label }: { values: readonly number[]; label: string }): JSX.Element {
	const most = Math.max(1, ...values);
	return (
		<Tip text={label} class="spark">
			<svg viewBox={`0 0 ${values.length * 4} 20`} preserveAspectRatio="none" aria-hidden="true">
				{values.map((value, at) => {
					const height = value === 0 ? 1 : 2 + (value / most) * 18;
					return (
						<rect
							class={value === 0 ? 'none' : 'some'}
							x={at * 4}
							y={20 - height}
							width={3}
							height={height}
						/>
					);
				})}
			</svg>
		</Tip>
	);
}

/** How much failed, as a part of a small bar: 2 % is a sliver, 100 % is all of it. @param share undefined without calls */
export function FailureShare({ share, label }: { share: number | undefined; label: string }): JSX.Element {
	if (share === undefined) return <span class="share" />;
	return (
		<Tip text={label} class="share">
			<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
				<rect class="track" width={100} height={8} />
				{share > 0 && <rect class="failed" width={Math.max(2, share * 100)} height={8} />}
			</svg>
			<span class="number">{formatPercent(share)}</span>
		</Tip>
	);
}

/** A part of a whole, beside its number. */
export function Bar({ share }: { share: number }): JSX.Element {
	return (
		<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
			<rect class="some" width={Math.max(1, share * 100)} height={8} />
		</svg>
	);
}

/** The phases of a call, each where it was in time. */
export function PhaseWaterfall({ phases }: { phases: readonly CallPhaseRow[] }): JSX.Element {
	const total = Math.max(0.001, ...phases.map(({ startMs, ms }) => startMs + ms));
	return (
		<ol class="waterfall" aria-label="Phases">
			{phases.map(({ name, startMs, ms }) => (
				<li>
					<span>{visibleLine(name)}</span>
					<Tip text={`from ${formatMs(startMs)} to ${formatMs(startMs + ms)}`}>
						<svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
							<rect class="track" x={0} y={0} width={1000} height={10} />
							<rect
								class={`phase ${/^\w+$/.test(name) ? name : ''}`}
								x={(startMs / total) * 1000}
								y={0}
								width={Math.max(4, (ms / total) * 1000)}
								height={10}
							/>
						</svg>
					</Tip>
					<span class="number">{formatMs(ms)}</span>
				</li>
			))}
		</ol>
	);
}

interface TipProps {
	readonly text: string;
	readonly class?: string;
	readonly children: ComponentChildren;
}

/**
 * A tooltip that the keyboard reaches: the element takes the focus, and styles show the text of its
 * attribute while it has the focus or the pointer is over it.
 */
function Tip({ text, class: name = '', children }: TipProps): JSX.Element {
	const shown = attributeText(text);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: its text must be reachable without a pointer
		<span class={`tip ${name}`} role="img" aria-label={shown} data-tip={shown} tabIndex={0}>
			{children}
		</span>
	);
}

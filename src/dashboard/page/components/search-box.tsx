/* The search field of a view. What is typed becomes part of the address. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { SEARCH_DEBOUNCE_MS } from '../page-limits.ts';

export function SearchBox({ label, ms }: { label: string; ms?: number | undefined }): JSX.Element {
	const { router } = useDashboard();
	const { view, id, query } = router.route.value;
	const onKeyDown = (event: KeyboardEvent): void => {
		if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
		event.preventDefault();
		const list = document.querySelector<HTMLElement>('.virtual-list');
		list?.focus();
		if (event.key === 'Enter')
			list?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
	};
	return (
		<div class="search">
			<input
				type="search"
				aria-label={label}
				placeholder={`${label}  /`}
				autocomplete="off"
				spellcheck={false}
				value={query['q'] ?? ''}
				onKeyDown={onKeyDown}
				onInput={(event) => router.replace(routeHref(view, id, { ...query, q: event.currentTarget.value }))}
			/>
			{ms !== undefined && <span class="number dim">{ms.toFixed(1)} ms</span>}
		</div>
	);
}

/** A text after a pause in typing. */
export function useDebounced(text: string): string {
	const settled = useSignal(text);
	useEffect(() => {
		const timer = setTimeout(() => {
			settled.value = text.trim();
		}, SEARCH_DEBOUNCE_MS);
		return () => clearTimeout(timer);
	}, [text]);
	return settled.value;
}

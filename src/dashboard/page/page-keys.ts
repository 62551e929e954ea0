/* Keys that work in every view, unless a field has the focus. */
import { useEffect } from 'preact/hooks';
import { useDashboard } from './live/dashboard.ts';
import { routeHref, viewNames } from './live/route.ts';

/** The keys, for the help. */
export const pageKeys: readonly (readonly [string, string])[] = [
	['/', 'search in this view, or in the tools'],
	['1 … 9', 'open a view'],
	['↑ ↓ PgUp PgDn Home End', 'move in a list (j and k too)'],
	['Enter', 'open the row'],
	['Ctrl+Enter', 'make the call of a form'],
	['Esc', 'leave a field, close this help'],
	['?', 'this help'],
];

export function usePageKeys(openHelp: () => void): void {
	const { router } = useDashboard();
	useEffect(() => {
		const onKeyDown = (event: KeyboardEvent): void => {
			if (event.ctrlKey || event.metaKey || event.altKey) return;
			if (isTyping(event.target)) {
				if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
				return;
			}
			const view = viewNames[Number(event.key) - 1];
			if (event.key === '?') openHelp();
			else if (event.key === '/') focusSearch(() => router.open(routeHref('tools')));
			else if (/^\d$/.test(event.key) && view) router.open(routeHref(view));
			else return;
			event.preventDefault();
		};
		addEventListener('keydown', onKeyDown);
		return () => removeEventListener('keydown', onKeyDown);
	}, []);
}

/** The search field of the view; a view without one leads to the tools. */
function focusSearch(openTools: () => void): void {
	const field = document.querySelector<HTMLInputElement>('input[type="search"]');
	if (field) return field.select();
	openTools();
	const wait = new MutationObserver(() => {
		const found = document.querySelector<HTMLInputElement>('input[type="search"]');
		if (!found) return;
		wait.disconnect();
		found.focus();
	});
	wait.observe(document.body, { childList: true, subtree: true });
}

function isTyping(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
	return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

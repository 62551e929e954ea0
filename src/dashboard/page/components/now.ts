/* The time, as a signal that a component can follow. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The current time, renewed every `everyMs`. */
export function useNow(everyMs = 1_000): Signal<number> {
	const now = useSignal(Date.now());
	useEffect(() => {
		const timer = setInterval(() => {
			now.value = Date.now();
		}, everyMs);
		return () => clearInterval(timer);
	}, [everyMs]);
	return now;
}

/* A value from the API that follows its address: fetched when the address changes, after a reconnect, and on request. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../../api/api-types.ts';
import { RequestError } from '../live/api-client.ts';
import { useDashboard } from '../live/dashboard.ts';
import { FETCHED_RENEW_MS } from '../page-limits.ts';

export interface Fetched<T> {
	/** The last value, also while a newer one is on its way. */
	readonly value: Signal<T | undefined>;
	readonly error: Signal<ApiError | undefined>;
	readonly reload: () => void;
}

/**
 * `path` undefined fetches nothing. A reply that arrives after the path changed is dropped.
 * With `keep` the old value stays until the new one is there, as while the user types.
 */
export function useFetched<T>(path: string | undefined, keep = false): Fetched<T> {
	const { api, feed } = useDashboard();
	const value = useSignal<T | undefined>(undefined);
	const error = useSignal<ApiError | undefined>(undefined);
	const last = useRef<AbortController | undefined>(undefined);
	const load = useCallback(async (): Promise<void> => {
		last.current?.abort();
		if (path === undefined) return;
		const controller = new AbortController();
		last.current = controller;
		try {
			value.value = await api.get<T>(path, {}, controller.signal);
			error.value = undefined;
		} catch (thrown) {
			if (!controller.signal.aborted) error.value = RequestError.describe(thrown);
		}
	}, [path]);
	useEffect(() => {
		if (!keep || path === undefined) value.value = undefined;
		error.value = undefined;
		void load();
		return () => last.current?.abort();
	}, [path]);
	const current = useRef(load);
	current.current = load;
	useSignalEffect(() => {
		if (feed.opened.value > 1) void current.current();
	});
	return { value, error, reload: () => void current.current() };
}

/** The same, and fetched again every few seconds. */
export function useRenewed<T>(path: string): Fetched<T> {
	const fetched = useFetched<T>(path, true);
	useEffect(() => {
		const timer = setInterval(() => document.hidden || fetched.reload(), FETCHED_RENEW_MS);
		return () => clearInterval(timer);
	}, []);
	return fetched;
}

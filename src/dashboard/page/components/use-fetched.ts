/* Values from the API: fetched when their address changes, after a reconnect, on request, again and again, or after new calls. */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../../api/api-types.ts';
import { type Query, RequestError } from '../live/api-client.ts';
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

/**
 * A value about the calls, fetched again some seconds after new ones while the page is visible.
 * @param query of the moment of a request
 * @param filter other values begin anew
 */
export function useCallFigures<T>(
	path: string,
	query: () => Query,
	filter: readonly unknown[],
): Signal<T | undefined> {
	const dashboard = useDashboard();
	const reply = useSignal<T | undefined>(undefined);
	useEffect(() => {
		let isNew = true;
		const closing = new AbortController();
		const load = async (): Promise<void> => {
			if (!isNew || document.hidden) return;
			isNew = false;
			const loaded = await dashboard.api.get<T>(path, query(), closing.signal).catch(() => undefined);
			if (loaded === undefined)
				isNew = true; // it is fetched again
			else if (!closing.signal.aborted) reply.value = loaded;
		};
		void load();
		const stop = dashboard.onCalls(() => {
			isNew = true;
		});
		const timer = setInterval(() => void load(), FETCHED_RENEW_MS);
		return () => {
			closing.abort();
			stop();
			clearInterval(timer);
		};
	}, [...filter, dashboard.feed.opened.value]);
	return reply;
}

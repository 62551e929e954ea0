/*
 * The calls that this page makes, and the drafts of their forms, by what they call.
 *
 * They belong to the page and not to a view: leaving a view ends no call and loses no draft. A call
 * ends by its button, or with the tab.
 */
import { type Signal, signal } from '@preact/signals';
import { BoundedMap } from '../../../rpc/bounded-map.ts';
import { DRAFTS_LIMIT, ENDED_CALLS_LIMIT, RUNNING_CALLS_LIMIT } from '../page-limits.ts';
import { type CallApi, CallRun } from './call-run.ts';

export class PageRuns {
	readonly #api: CallApi;
	readonly #runs = new Map<string, CallRun>();
	readonly #drafts = new BoundedMap<string, Signal<unknown>>(DRAFTS_LIMIT);

	constructor(api: CallApi) {
		this.#api = api;
	}

	/** The call of this key; it is idle at first. */
	run(key: string): CallRun {
		const run = this.#runs.get(key) ?? new CallRun(this.#api);
		this.#runs.delete(key);
		this.#runs.set(key, run);
		const ended = [...this.#runs].filter(([, each]) => !each.isRunning);
		for (const [old] of ended.slice(0, -ENDED_CALLS_LIMIT)) this.#runs.delete(old);
		return run;
	}

	/** The call with this number, when the page made it. */
	numbered(number: number): CallRun | undefined {
		return [...this.#runs.values()].find((run) => run.number.value === number);
	}

	/** Make a call, unless too many run. */
	async start(run: CallRun, path: string, body?: object): Promise<void> {
		const running = [...this.#runs.values()].filter((each) => each !== run && each.isRunning);
		if (running.length < RUNNING_CALLS_LIMIT) return void (await run.start(path, body));
		run.refuse({
			code: 'busy',
			message: `${running.length} calls of this page are in flight; a browser has few connections to one host.`,
			hint: 'Wait for one to end, or cancel one in the list of calls.',
		});
	}

	/** The value that was filled in under this key. The key has the type of the value. */
	draft<T>(key: string, initial: T): Signal<T> {
		const draft = (this.#drafts.get(key) ?? signal<unknown>(initial)) as Signal<T>;
		this.#drafts.set(key, draft);
		return draft;
	}
}

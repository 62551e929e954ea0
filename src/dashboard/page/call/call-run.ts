/* One call that the page makes, or a command that the hub runs for it: its progress, its logs, its elicitations and its end, live. */
import { type Signal, signal } from '@preact/signals';
import type {
	AnswerComparison,
	AnswerRequest,
	CallElicitation,
	CallLogRow,
	CallMessage,
	ProgressRow,
} from '../../api/api-calls.ts';
import type { ApiError, ApiObject } from '../../api/api-types.ts';
import { type ApiClient, RequestError } from '../live/api-client.ts';
import { RUN_LOGS_LIMIT } from '../page-limits.ts';

type CallStatus = 'idle' | 'running' | 'done' | 'failed' | 'canceled';

/** The part of the API that a call uses. */
export type CallApi = Pick<ApiClient, 'stream' | 'post'>;

export class CallRun {
	readonly status: Signal<CallStatus> = signal('idle');
	/** The number of the call in the list of calls. */
	readonly number: Signal<number | undefined> = signal(undefined);
	readonly progress: Signal<ProgressRow | undefined> = signal(undefined);
	readonly logs: Signal<readonly CallLogRow[]> = signal([]);
	/** Messages that the hub or this page left out. */
	readonly dropped: Signal<number> = signal(0);
	readonly elicitation: Signal<CallElicitation | undefined> = signal(undefined);
	readonly result: Signal<ApiObject | undefined> = signal(undefined);
	readonly error: Signal<ApiError | undefined> = signal(undefined);
	readonly ms: Signal<number | undefined> = signal(undefined);
	/** The answer of a replayed call beside the recorded one. */
	readonly comparison: Signal<AnswerComparison | undefined> = signal(undefined);
	/** When it began. */
	startedAt = 0;
	readonly #api: CallApi;
	#controller = new AbortController();

	constructor(api: CallApi) {
		this.#api = api;
	}

	get isRunning(): boolean {
		return this.status.peek() === 'running';
	}

	/** Make the call; an earlier call that still runs is canceled. Resolves when it has ended: true when it succeeded. */
	async start(path: string, body?: object): Promise<boolean> {
		this.cancel();
		this.#reset();
		const controller = new AbortController();
		this.#controller = controller;
		try {
			for await (const message of this.#api.stream<CallMessage>(path, body, controller.signal)) {
				if (controller !== this.#controller) return false;
				this.#take(message);
			}
			if (this.isRunning) this.#fail(cutShort);
		} catch (thrown) {
			if (controller !== this.#controller) return false;
			if (controller.signal.aborted) this.status.value = 'canceled';
			else this.#fail(RequestError.describe(thrown));
		}
		this.elicitation.value = undefined;
		this.ms.value ??= Date.now() - this.startedAt;
		return this.status.peek() === 'done';
	}

	/** Show why the call is not made. */
	refuse(error: ApiError): void {
		this.#reset();
		this.#fail(error);
	}

	/** End the connection; the hub cancels the call. */
	cancel(): void {
		this.#controller.abort();
	}

	async answer(action: AnswerRequest['action'], content?: ApiObject): Promise<void> {
		const elicitation = this.elicitation.peek();
		if (!elicitation) return;
		this.elicitation.value = undefined;
		try {
			await this.#api.post('/api/answer', { id: elicitation.id, action, content });
		} catch (thrown) {
			this.error.value = RequestError.describe(thrown);
		}
	}

	#take(message: CallMessage): void {
		switch (message.kind) {
			case 'started':
				this.number.value = message.number;
				return;
			case 'progress':
				this.progress.value = message;
				return;
			case 'log':
				if (this.logs.peek().length >= RUN_LOGS_LIMIT) this.dropped.value += 1;
				this.logs.value = [...this.logs.peek().slice(1 - RUN_LOGS_LIMIT), message];
				return;
			case 'ask':
				this.elicitation.value = message.elicitation;
				return;
			case 'dropped':
				this.dropped.value += message.count;
				return;
			case 'result':
				this.result.value = message.result;
				this.comparison.value = message.comparison;
				this.ms.value = message.ms;
				this.status.value = message.result['isError'] === true ? 'failed' : 'done';
				return;
			case 'error':
				this.ms.value = message.ms;
				this.comparison.value = message.comparison;
				this.#fail(message.error);
		}
	}

	#fail(error: ApiError): void {
		this.error.value = error;
		this.status.value = error.code === 'canceled' ? 'canceled' : 'failed';
	}

	#reset(): void {
		this.startedAt = Date.now();
		this.status.value = 'running';
		this.number.value = undefined;
		this.progress.value = undefined;
		this.logs.value = [];
		this.dropped.value = 0;
		this.elicitation.value = undefined;
		this.result.value = undefined;
		this.error.value = undefined;
		this.ms.value = undefined;
		this.comparison.value = undefined;
	}
}

const cutShort: ApiError = {
	code: 'closed',
	message: 'The connection ended before the call did.',
	hint: 'Whether it ran to its end is in the list of calls; a command is not in it.',
};

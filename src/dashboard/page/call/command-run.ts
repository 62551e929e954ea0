/* A command of `mctl` that the page lets the hub run: its lines as they come, and its end. */
import { type Signal, signal } from '@preact/signals';
import type { CallMessage } from '../../api/api-calls.ts';
import type { ApiError, ApiObject } from '../../api/api-types.ts';
import type { PageCommand } from '../../commands/page-commands.ts';
import { type ApiClient, RequestError } from '../live/api-client.ts';
import { COMMAND_LINES_LIMIT } from '../page-limits.ts';

export class CommandRun {
	readonly isRunning: Signal<boolean> = signal(false);
	readonly lines: Signal<readonly string[]> = signal([]);
	readonly result: Signal<ApiObject | undefined> = signal(undefined);
	readonly error: Signal<ApiError | undefined> = signal(undefined);
	/** The command that was run last. */
	readonly last: Signal<PageCommand | undefined> = signal(undefined);
	readonly #api: ApiClient;
	#running: AbortController | undefined;

	constructor(api: ApiClient) {
		this.#api = api;
	}

	/** Run it; an earlier one is ended. True when it succeeded. */
	async run(command: PageCommand): Promise<boolean> {
		this.cancel();
		const controller = new AbortController();
		this.#running = controller;
		this.last.value = command;
		this.isRunning.value = true;
		this.lines.value = [];
		this.result.value = undefined;
		this.error.value = undefined;
		try {
			for await (const message of this.#api.stream<CallMessage>('/api/commands', command, controller.signal))
				if (this.#running === controller) this.#take(message);
		} catch (thrown) {
			if (this.#running === controller) this.error.value = RequestError.describe(thrown);
		}
		if (this.#running === controller) this.isRunning.value = false;
		return this.result.value !== undefined;
	}

	cancel(): void {
		this.#running?.abort();
	}

	#take(message: CallMessage): void {
		if (message.kind === 'log')
			this.lines.value = [...this.lines.peek(), message.text].slice(-COMMAND_LINES_LIMIT);
		if (message.kind === 'result') this.result.value = message.result;
		if (message.kind === 'error') this.error.value = message.error;
	}
}

/*
 * What a modern server reports about its tasks: one subscription for all that are followed. A report is a sign to
 * request the state of the task; it is not the state itself, so that every state takes the same way.
 */
import { OrchestraError } from '../../errors.ts';
import { CLIENT_CAPABILITIES } from '../../protocol/meta.ts';
import { TASKS } from '../../protocol/tasks.ts';
import { isObject } from '../../wire/json.ts';
import { ChangeSubscription, type ChangeSubscriptionDeps } from './change-subscription.ts';

/** A subscription to one task. */
export interface TaskSubscription {
	/** Whether the server reports changes of it, as far as is known now. */
	readonly isPushed: boolean;
	end(): void;
}

/** A listen request that does not declare the extension is refused. */
const _meta = { [CLIENT_CAPABILITIES]: { extensions: { [TASKS]: {} } } };

export class TaskPushes {
	readonly #listeners = new Map<string, () => void>();
	readonly #subscription: ChangeSubscription;
	/** The server has no such subscriptions: it is not tried again. */
	#isRefused = false;

	constructor(deps: Pick<ChangeSubscriptionDeps, 'link' | 'envelope' | 'log'>) {
		this.#subscription = new ChangeSubscription({
			...deps,
			member: 'taskIds',
			envelope: (params) => deps.envelope({ ...params, _meta }),
			onGap: ({ ids }) => {
				for (const id of ids) this.#listeners.get(id)?.();
			},
		});
	}

	/** `onPush` is called when the server reports a change, and when it has accepted the subscription. */
	follow(taskId: string, onPush: () => void): TaskSubscription | undefined {
		if (this.#isRefused || this.#listeners.has(taskId)) return undefined;
		let isPushed = false;
		this.#listeners.set(taskId, onPush);
		this.#subscription.set(taskId, true).then(
			() => {
				isPushed = true;
				onPush(); // what changed before is not reported
			},
			(error: unknown) => {
				// Another task may be one that it reports.
				this.#isRefused ||= !OrchestraError.is(error, 'not_found');
			},
		);
		return {
			get isPushed() {
				return isPushed;
			},
			end: () => {
				this.#listeners.delete(taskId);
				this.#subscription.set(taskId, false).catch(() => {}); // nothing waits for what it reports
			},
		};
	}

	/** Take a notification; false when it is about no task. */
	receive(method: string, params: unknown): boolean {
		if (method !== 'notifications/tasks') return this.#subscription.receive(method, params);
		const { taskId } = isObject(params) ? params : {};
		this.#listeners.get(String(taskId))?.();
		return true;
	}

	close(): void {
		this.#subscription.close();
	}
}

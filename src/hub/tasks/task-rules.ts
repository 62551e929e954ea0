/* Which calls become tasks, and when: the section `tasks` of the configuration and what the client of a call knows. */
import type { Configuration, TasksSection } from '../../config/configuration.ts';
import { TASK_DETACH_MS, TASK_MAX_MS, TASK_TTL_MS } from '../../config/defaults.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { declaresTasks, LEGACY_TASKS_VERSION } from '../../protocol/tasks.ts';
import { ServerNames } from '../../trust/tool-name.ts';
import { anyToolPattern, toolPattern } from '../../trust/tool-pattern.ts';
import { isObject } from '../../wire/json.ts';
import { memoized } from '../../wire/memoized.ts';
import type { HubCall } from '../calls/hub-call.ts';
import type { SourceKind } from '../source.ts';
import type { TaskPlan } from './durable-call.ts';
import { TASK_CLIENT_WAIT_MS } from './task-limits.ts';
import type { TaskForm } from './task-record.ts';

/** How long clients without tasks wait for a call, as far as it is known, in milliseconds. */
const clientWaits: Readonly<Record<string, number>> = {
	'gemini-cli-mcp-client': 600_000,
	'claude-code': 1_800_000,
};

/** Sources of the hub itself. */
const ownKinds: ReadonlySet<SourceKind> = new Set<SourceKind>(['results', 'tasks', 'hub']);

/** The patterns of a configuration, compiled. */
const compiled = memoized(({ tasks: { always, detachAfter }, mcpServers }: Configuration) => {
	const servers = new ServerNames(mcpServers.map(({ name }) => name));
	const times = Object.entries(detachAfter).map(([pattern, ms]) => ({
		isOf: toolPattern(pattern, servers),
		ms,
	}));
	return { isAlways: anyToolPattern(always, servers), times };
});

export class TaskRules {
	readonly #configuration: () => Configuration;

	constructor(configuration: () => Configuration) {
		this.#configuration = configuration;
	}

	/** Whether calls of clients without tasks are stored. */
	get storesCalls(): boolean {
		return this.#settings.keep === true;
	}

	/** How a call becomes a task; undefined when it never does. */
	planOf(call: HubCall): TaskPlan | undefined {
		if (call.method !== 'tools/call' || call.isSent || call.target.way) return undefined;
		const form = this.formFor(call.context);
		if (form === undefined || ownKinds.has(call.target.source.kind)) return undefined;
		const { ttlMs = TASK_TTL_MS, maxMs = TASK_MAX_MS } = this.#settings;
		const tool = call.toolName ?? { server: undefined, tool: call.name, name: call.name };
		const { isAlways, times } = compiled(this.#configuration());
		return {
			form,
			afterMs: times.find(({ isOf }) => isOf(tool))?.ms ?? this.#settings.detachAfterMs ?? TASK_DETACH_MS,
			isAlways: form !== 'kept' && (form === 'legacy' || isAlways(tool)),
			maxMs,
			ttlMs: form === 'legacy' ? Math.min(requestedTtl(call.context) ?? ttlMs, ttlMs) : ttlMs,
			clientMs: clientWaits[call.client] ?? TASK_CLIENT_WAIT_MS,
		};
	}

	/** The form in which calls of this client become tasks; undefined when they do not. */
	formFor({ revision, clientCapabilities, params, passesResultsOn }: CallContext): TaskForm | undefined {
		if (revision.era === 'modern' && declaresTasks(clientCapabilities)) return 'modern';
		if (revision.version === LEGACY_TASKS_VERSION && isObject(params['task'])) return 'legacy';
		return this.storesCalls && !passesResultsOn ? 'kept' : undefined;
	}

	get #settings(): TasksSection {
		return this.#configuration().tasks;
	}
}

function requestedTtl({ params }: CallContext): number | undefined {
	const task = params['task'];
	const ttl = isObject(task) ? task['ttl'] : undefined;
	return typeof ttl === 'number' && ttl >= 1 ? Math.floor(ttl) : undefined;
}

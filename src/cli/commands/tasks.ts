/* `mctl tasks`: calls that go on, or went on, without their client; their results, and how to cancel them. */
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { isOfProject, type TaskState } from '../../hub/tasks/task-record.ts';
import { taskReport } from '../../hub/tasks/task-report.ts';
import { TaskStore } from '../../hub/tasks/task-store.ts';
import { Log } from '../../log.ts';
import { printable } from '../../printable.ts';
import { answerValue } from '../../protocol/mcp-types.ts';
import { type Command, type CommandInput, jsonFlag, usageError } from '../command.ts';
import { exitCodes } from '../exit.ts';
import { printTable } from '../terminal/table.ts';

const actions = ['ls', 'show', 'result', 'cancel'];

export const tasks: Command = {
	usage: 'mctl tasks [ls|show ID|result ID|cancel ID] [--all] [--json]',
	examples: [
		'mctl tasks',
		'mctl tasks result 3f2a',
		'mctl tasks cancel 3f2a',
		"mctl tasks --json | jq '.tasks[].id'",
	],
	flags: {
		all: { help: 'those of all projects' },
		json: jsonFlag,
	},
	args: [0, 2, 'an action and the id of a task'],

	async run(input) {
		const [action = 'ls', id] = input.args;
		if (!actions.includes(action)) throw usageError(tasks, `there is no "mctl tasks ${action}"`);
		const store = new TaskStore({ environment: input.environment, log: Log.silent });
		const states = await statesHere(store, input);
		if (action === 'ls') return showAll(states, input);
		const state = one(states, id, action);
		if (action === 'cancel') return cancel(store, state, input);
		if (action === 'show') return show(state, input);
		const { principal, id: whole } = state.record;
		return result((await store.read(principal, whole)) ?? state, input);
	},
};

async function statesHere(store: TaskStore, { cwd, environment, flags }: CommandInput): Promise<TaskState[]> {
	const { root } = loadConfiguration({ cwd, environment }).configuration;
	const states = await store.list();
	return flags['all'] ? states : states.filter(({ record }) => isOfProject(record.principal, root));
}

/** The task with this id, or with an id that begins so. */
function one(states: readonly TaskState[], id: string | undefined, action: string): TaskState {
	if (id === undefined) throw usageError(tasks, `mctl tasks ${action} needs the id of a task`);
	const found = states.filter(({ record }) => record.id.startsWith(id));
	const [state] = found;
	if (state && found.length === 1) return state;
	throw new OrchestraError(
		'not_found',
		state ? `${found.length} tasks begin with ${id}` : `no task begins with ${id}`,
		{ hint: 'See them with: mctl tasks' },
	);
}

function showAll(states: readonly TaskState[], { out, flags }: CommandInput): void {
	if (flags['json']) return out.json({ schema: 'orchestra.tasks/1', tasks: states.map(taskReport) });
	if (states.length === 0) return out.info('There are no tasks.');
	printTable(out, states, ['ID', 'STATUS', 'TOOL'], {
		ID: ({ record }) => record.id.slice(0, 8),
		STATUS: ({ record, end }) => (end ?? record).status,
		TOOL: ({ record }) => record.tool,
		CLIENT: ({ record }) => record.client,
		SINCE: ({ record }) => record.createdAt,
	});
}

function show(state: TaskState, { out, flags }: CommandInput): void {
	const json = taskReport(state);
	if (flags['json']) return out.json({ schema: 'orchestra.task/1', ...json });
	for (const [name, value] of Object.entries(json))
		if (value !== undefined)
			out.line(printable(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`));
}

/** The text of the result, or all of it as JSON. */
function result({ record, end, result: found }: TaskState, { out, flags }: CommandInput): number | undefined {
	if (end === undefined)
		throw new OrchestraError('not_found', `${record.tool} still runs, since ${record.createdAt}`, {
			hint: 'Its result is there when `mctl tasks` says that it is completed.',
		});
	if (end.status !== 'completed')
		throw new OrchestraError('tool_failed', end.statusMessage ?? `the task is ${end.status}`);
	const value = found ? answerValue(found) : {};
	if (flags['json']) out.json({ schema: 'orchestra.task-result/1', id: record.id, result: value });
	else for (const line of textBlocksOf(value)) out.line(printable(line));
	return value['isError'] === true ? exitCodes.tool_failed : undefined;
}

async function cancel(store: TaskStore, state: TaskState, { out, flags }: CommandInput): Promise<void> {
	const { record, end } = state.end ? state : await store.cancel(state.record);
	if (flags['json']) return out.json({ schema: 'orchestra.task/1', ...taskReport({ record, end }) });
	out.line(printable(`${record.tool}: ${end?.status ?? record.status}`));
}

function textBlocksOf({ content }: Record<string, unknown>): string[] {
	const blocks: unknown[] = Array.isArray(content) ? content : [];
	return blocks.map((block) => {
		const { text } = Object(block) as { text?: unknown };
		return typeof text === 'string' ? text : JSON.stringify(block);
	});
}

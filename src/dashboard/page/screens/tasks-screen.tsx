/* Tasks: calls that go on, or went on, without their client. */
import type { JSX } from 'preact';
import type { Health } from '../../../hub/source-status.ts';
import { CommandText } from '../components/command-text.tsx';
import { useNow } from '../components/now.ts';
import { EmptyState, NotFetched, Panel, StateWord } from '../components/panel.tsx';
import { useRenewed } from '../components/use-fetched.ts';
import { useDashboard } from '../live/dashboard.ts';
import { formatAge } from '../text/quantities.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';

/** The shown fields of a task: a part of `TaskReport`, whose file needs Node. */
interface ShownTask {
	readonly id: string;
	readonly tool: string;
	readonly client: string;
	readonly status: string;
	readonly statusMessage?: string | undefined;
	readonly createdAt: string;
	readonly endedAt?: string | undefined;
	readonly error?: { readonly message: string } | undefined;
}

/** Characters of an id that are shown; the command takes them. */
const SHOWN_ID = 8;

const HEALTHS: ReadonlyMap<string, Health> = new Map([
	['working', 'busy'],
	['input_required', 'warn'],
	['completed', 'good'],
	['failed', 'bad'],
	['cancelled', 'warn'],
]);

export function TasksScreen(): JSX.Element {
	const fetched = useRenewed<{ tasks: readonly ShownTask[] }>('/api/tasks');
	const reply = fetched.value.value;
	if (!reply) return <NotFetched fetched={fetched} title="Reading the tasks…" />;
	return (
		<Panel title="Tasks" aside={<CommandText command="mctl tasks" />}>
			{reply.tasks.length === 0 && (
				<EmptyState title="No task runs or is stored.">
					A client that asks for it gets a long call as a task: it goes on when the client leaves.
				</EmptyState>
			)}
			<div class="rows task-rows">
				{reply.tasks.map((task) => (
					<TaskRow key={task.id} task={task} onDone={fetched.reload} />
				))}
			</div>
		</Panel>
	);
}

function TaskRow({ task, onDone }: { task: ShownTask; onDone: () => void }): JSX.Element {
	const dashboard = useDashboard();
	const now = useNow(5_000);
	const id = task.id.slice(0, SHOWN_ID);
	const cancel = async (): Promise<void> => {
		const messages = { done: `Canceled the task ${id}.`, failed: `The task ${id} was not canceled.` };
		await dashboard.act(messages, `/api/tasks/${encodeURIComponent(task.id)}`, {});
		onDone();
	};
	return (
		<div class="row">
			<strong>{visibleLine(task.tool)}</strong>
			<StateWord state={task.status} health={HEALTHS.get(task.status) ?? 'calm'} />
			<span class="dim">{visibleLine(task.client)}</span>
			<span class="number dim">{formatAge(Date.parse(task.createdAt), now.value)} ago</span>
			<span>{visibleText(task.error?.message ?? task.statusMessage ?? '')}</span>
			<CommandText
				command={task.endedAt === undefined ? `mctl tasks show ${id}` : `mctl tasks result ${id}`}
			/>
			<span class="actions">
				{task.endedAt === undefined && (
					<button type="button" onClick={() => void cancel()}>
						Cancel
					</button>
				)}
			</span>
		</div>
	);
}

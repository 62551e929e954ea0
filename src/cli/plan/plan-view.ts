/* What `mctl plan` prints about plans that ran. */
import { attempt } from '../../errors.ts';
import {
	answersOf,
	endOf,
	type PlanHead,
	type StoredPlan,
	unknownCalls,
} from '../../hub/plans/plan-record.ts';
import { isRunning, type PlanStore } from '../../hub/plans/plan-store.ts';
import { replayPlan } from '../../hub/plans/replay-plan.ts';
import { printable, printableLine } from '../../printable.ts';
import { diffHunks, sequenceDiff } from '../../sequence-diff.ts';
import type { CommandInput } from '../command.ts';
import { exitCodes } from '../exit.ts';
import { printTable } from '../terminal/table.ts';

/** Lines around a difference. */
const DIFF_CONTEXT = 2;

type Status = 'running' | 'completed' | 'failed' | 'stopped';

/** The plans, newest first. */
export function showAll(store: PlanStore, heads: readonly PlanHead[], { out, flags }: CommandInput): void {
	const plans = heads.map((head) => reportOf(store.read(head)));
	if (flags['json']) return out.json({ schema: 'orchestra.plans/1', plans });
	if (plans.length === 0) return out.info('There are no plans.');
	printTable(out, plans, ['ID', 'STATUS', 'CALLS'], {
		ID: ({ id }) => id.slice(0, 8),
		STATUS: 'status',
		CALLS: 'calls',
		NAME: ({ name }) => name ?? '',
		CLIENT: 'client',
		SINCE: 'startedAt',
	});
}

/** One plan: what it could reach, what it did, how it ended, its program. */
export function show(plan: StoredPlan, { out, flags }: CommandInput): void {
	const { head } = plan;
	const calls = answersOf(plan).map(({ number, name, place, isOk, at }) => ({
		number,
		name,
		place,
		isOk,
		at,
	}));
	const unknown = unknownCalls(plan);
	const end = endOf(plan);
	const report = { ...reportOf(plan), tools: head.tools, program: head.code, input: plan.input };
	if (flags['json'])
		return out.json({ schema: 'orchestra.plan/1', ...report, made: calls, unknown, result: end?.text });
	for (const key of ['id', 'status', 'client', 'startedAt', 'sha256'] as const)
		out.line(printableLine(`${key}: ${report[key]}`));
	out.line(printableLine(`tools that it can reach: ${head.tools.join(', ') || 'none'}`));
	for (const { number, name, place, isOk } of calls)
		out.line(
			printableLine(`call ${number}: ${name ?? 'no tool'} (${place ?? '?'}) ${isOk ? 'ok' : 'failed'}`),
		);
	for (const { sent, name } of unknown)
		out.line(printableLine(`call ${sent}: ${name}: its outcome is unknown`));
	if (end) out.line(printable(`result: ${end.text}`));
	out.line(printable(`program:\n${head.code}`));
}

/** Exit code 1 when the result is another one. */
export async function replay(
	plan: StoredPlan,
	code: string | undefined,
	{ out, flags, signal }: CommandInput,
): Promise<number> {
	const { isOk, text, lines, isSame, recorded } = await replayPlan(plan, { code, signal });
	const calls = answersOf({ lines }).length;
	if (flags['json'])
		out.json({
			schema: 'orchestra.plan-replay/1',
			id: plan.head.id,
			isSame,
			isOk,
			result: text,
			recorded,
			calls,
		});
	else {
		const shown = isSame === false ? differences(recorded ?? '', text) : [text];
		for (const line of shown) out.line(printable(line));
		out.info(
			`mctl: ${calls} calls answered from the record; ${isSame ? 'the same result' : 'another result than in the record'}`,
		);
	}
	return isSame === false ? exitCodes.tool_failed : 0;
}

/** The lines of two results that differ, with some around them. */
function differences(recorded: string, now: string): string[] {
	const [before, after] = [recorded, now].map((text) => {
		const value = attempt(() => JSON.parse(text) as unknown);
		return (value === undefined ? text : JSON.stringify(value, null, 2)).split('\n');
	});
	const steps = sequenceDiff(before ?? [], after ?? []);
	return diffHunks(steps, DIFF_CONTEXT).flatMap(([start, end]) =>
		steps.slice(start, end).map(([sign, line]) => `${sign} ${line}`),
	);
}

function reportOf(plan: StoredPlan): {
	id: string;
	status: Status;
	name: string | undefined;
	client: string;
	startedAt: string;
	sha256: string;
	calls: number;
} {
	const { head } = plan;
	const end = endOf(plan)?.end;
	const { id, name, client, sha256, startedAt } = head;
	return {
		id,
		status: end ?? (isRunning(head) ? 'running' : 'stopped'),
		name,
		client,
		startedAt: new Date(startedAt).toISOString(),
		sha256,
		calls: answersOf(plan).length,
	};
}

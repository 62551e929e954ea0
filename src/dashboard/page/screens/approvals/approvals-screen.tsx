/* Approvals: calls that wait for a user, with what they would do. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ApprovalDecision, ApprovalReply, ApprovalRow } from '../../../api/api-types.ts';
import { policyCommand } from '../../../commands/mctl-commands.ts';
import { CommandText } from '../../components/command-text.tsx';
import { useNow } from '../../components/now.ts';
import { EmptyState, ErrorText, Fact } from '../../components/panel.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { type Dashboard, useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { APPROVED_OUTCOME_MS } from '../../page-limits.ts';
import { formatDuration } from '../../text/quantities.ts';
import { attributeText, visibleLine, visibleText } from '../../text/visible-text.tsx';
import { ApprovalArguments } from './approval-arguments.tsx';

const DECISIONS: readonly (readonly [ApprovalDecision, string])[] = [
	['deny', 'Deny'],
	['allow', 'Allow once'],
	['always', 'Always allow'],
];
/** Unread arguments that are named. */
const NAMED_UNREAD = 5;

export function ApprovalsScreen(): JSX.Element {
	const { approvals, state } = useDashboard();
	const server = state.value?.backends.find(({ kind }) => kind === 'mcp')?.id ?? 'files';
	if (approvals.value.length === 0)
		return (
			<EmptyState title="No call waits for you.">
				A rule with <code>ask</code> in the policy stops a call until you decide. Write one in the view of a{' '}
				<a href={routeHref('servers')}>server</a>, or with{' '}
				<CommandText command={policyCommand(`${server}__*`, 'ask', false)} />
			</EmptyState>
		);
	return (
		<div class="approval-list">
			{approvals.value.map((approval) => (
				<Approval key={approval.id} approval={approval} />
			))}
		</div>
	);
}

function Approval({ approval }: { approval: ApprovalRow }): JSX.Element {
	const { value, error } = useFetched<ApprovalReply>(pathOf(approval));
	const rows = value.value?.arguments;
	const read = useSignal<ReadonlySet<number>>(new Set());
	const onRead = (at: number): void => {
		read.value = new Set([...read.peek(), at]);
	};
	const unread = rows?.filter((_, at) => !read.value.has(at)).map(({ name }) => name);
	return (
		<section class="panel approval" aria-label={attributeText(`Approval of ${approval.tool}`)}>
			<header>
				<h2>{visibleLine(approval.tool)}</h2>
				<Countdown approval={approval} />
			</header>
			<dl class="facts">
				<Fact name="client">{visibleLine(approval.client)}</Fact>
				<Fact name="rule">{visibleLine(approval.rule)}</Fact>
				{approval.reason !== null && <Fact name="reason">{visibleText(approval.reason)}</Fact>}
			</dl>
			{rows !== undefined && <ApprovalArguments approval={approval} rows={rows} onRead={onRead} />}
			{error.value && <ErrorText error={error.value} />}
			<Decisions approval={approval} unread={unread} />
		</section>
	);
}

function Countdown({ approval }: { approval: ApprovalRow }): JSX.Element {
	const now = useNow();
	const left = approval.expiresAt - now.value;
	const share = Math.max(0, Math.min(1, left / Math.max(1, approval.expiresAt - approval.askedAt)));
	return (
		<span class="countdown">
			<progress value={share} max={1} aria-label="Time left" />
			<span class="number">{left > 0 ? `${formatDuration(left)} left` : 'expired'}</span>
		</span>
	);
}

interface DecisionsProps {
	readonly approval: ApprovalRow;
	/** The names of the arguments that were not read; undefined while they are loaded. */
	readonly unread: readonly string[] | undefined;
}

/** Nothing is allowed before its arguments were read, or by the second click of a double click, which was for another call. */
function Decisions({ approval, unread }: DecisionsProps): JSX.Element {
	const dashboard = useDashboard();
	const isBusy = useSignal(false);
	const decide = async (decision: ApprovalDecision, label: string): Promise<void> => {
		isBusy.value = true;
		const messages = {
			done: `${label}: ${approval.tool}.`,
			failed: `Your answer to ${approval.tool} does not count.`,
		};
		reportOutcome(dashboard, approval);
		await dashboard.act(messages, pathOf(approval), { decision });
		isBusy.value = false;
	};
	return (
		<div class="decisions">
			{DECISIONS.map(([decision, label]) => (
				<p>
					<button
						type="button"
						disabled={isBusy.value || (decision !== 'deny' && unread?.length !== 0)}
						onClick={({ detail }) => detail < 2 && void decide(decision, label)}
					>
						{label}
					</button>
					<CommandText command={approval.commands[decision]} />
				</p>
			))}
			<p class="dim" role="status">
				{unread !== undefined && unread.length > 0 && (
					<span>
						To allow it, read first: {visibleLine(unread.slice(0, NAMED_UNREAD).join(', '))}
						{unread.length > NAMED_UNREAD && ` and ${unread.length - NAMED_UNREAD} more`}
					</span>
				)}
			</p>
		</div>
	);
}

function pathOf({ id }: ApprovalRow): string {
	return `/api/approvals/${encodeURIComponent(id)}`;
}

/** An answer is not yet an outcome: the policy may have changed, and the tool may fail. */
function reportOutcome(dashboard: Dashboard, { tool, client, askedAt }: ApprovalRow): void {
	const stop = dashboard.onCalls(({ rows }) => {
		const ended = rows.find(
			(row) => row.name === tool && row.client === client && row.at <= askedAt && row.outcome !== 'running',
		);
		if (!ended) return;
		stop();
		const error = ended.error === undefined ? '' : ` (${ended.error})`;
		dashboard.notify({ text: `${tool} of ${client}: the call ended with ${ended.outcome}${error}.` });
	});
	setTimeout(stop, APPROVED_OUTCOME_MS);
}

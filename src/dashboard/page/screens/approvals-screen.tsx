/* Approvals: calls that wait for a person, with what they would do. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ApprovalDecision, ApprovalDecisionRequest, ApprovalRow } from '../../api-types.ts';
import { useDashboard } from '../live/dashboard.ts';
import { CommandText } from '../parts/command-text.tsx';
import { useNow } from '../parts/now.ts';
import { EmptyState, Fact } from '../parts/panel.tsx';
import { formatDuration } from '../text/quantities.ts';
import { attributeText, VisibleText } from '../text/visible-text.tsx';

const DECISIONS: readonly (readonly [ApprovalDecision, string, string])[] = [
	['allow', 'Allow once', 'Allowed'],
	['always', 'Always allow', 'Always allowed'],
	['deny', 'Deny', 'Denied'],
];

export function ApprovalsScreen(): JSX.Element {
	const { approvals } = useDashboard();
	if (approvals.value.length === 0)
		return (
			<EmptyState title="No call waits for you.">
				<p>
					A rule with <code>ask</code> in the policy stops a call until you decide. See what a rule does with{' '}
					<CommandText command="mctl policy test" />
				</p>
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
	return (
		<section class="panel approval" aria-label={attributeText(`Approval of ${approval.tool}`)}>
			<header>
				<h2>
					<VisibleText text={approval.tool} isLine />
				</h2>
				<Countdown approval={approval} />
			</header>
			<dl class="facts">
				<Fact name="client">
					<VisibleText text={approval.client} isLine />
				</Fact>
				<Fact name="rule">
					<VisibleText text={approval.rule} isLine />
				</Fact>
				{approval.reason !== null && (
					<Fact name="reason">
						<VisibleText text={approval.reason} />
					</Fact>
				)}
			</dl>
			<ol class="arguments" aria-label="Arguments">
				{approval.shown.map((line) => (
					<li>
						<VisibleText text={line} />
					</li>
				))}
				{approval.shown.length === 0 && <li class="dim">no arguments</li>}
			</ol>
			<Decisions approval={approval} />
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

function Decisions({ approval }: { approval: ApprovalRow }): JSX.Element {
	const dashboard = useDashboard();
	const isBusy = useSignal(false);
	const decide = async (decision: ApprovalDecision, done: string): Promise<void> => {
		isBusy.value = true;
		const body: ApprovalDecisionRequest = { decision };
		const words = { done: `${done}: ${approval.tool}.`, failed: `${approval.tool} still waits.` };
		await dashboard.act(words, `/api/approvals/${encodeURIComponent(approval.id)}`, body);
		isBusy.value = false;
	};
	return (
		<div class="decisions">
			{DECISIONS.map(([decision, label, done]) => (
				<p>
					<button
						type="button"
						class={decision === 'allow' ? 'primary' : undefined}
						disabled={isBusy.value}
						onClick={() => void decide(decision, done)}
					>
						{label}
					</button>
					<CommandText command={approval.commands[decision]} />
				</p>
			))}
		</div>
	);
}

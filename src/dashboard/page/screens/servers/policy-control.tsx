/* A new rule of the policy: choose what it does, see the command and the file, and write it. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { PolicyRequest, PolicyTarget } from '../../../api/api-catalogue.ts';
import { policyCommand } from '../../../commands/mctl-commands.ts';
import { CommandText } from '../../components/command-text.tsx';
import { type Options, Select } from '../../components/panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { visibleLine } from '../../text/visible-text.tsx';

const ACTIONS: Options<PolicyRequest['action']> = [
	['allow', 'Allow'],
	['ask', 'Ask before'],
	['deny', 'Deny'],
];

interface PolicyControlProps {
	readonly target: PolicyTarget | null;
	readonly server: string;
	/** Without one the rule is about all tools of the server. */
	readonly tool?: string;
	readonly onDone: () => void;
}

export function PolicyControl({ target, server, tool, onDone }: PolicyControlProps): JSX.Element | null {
	const dashboard = useDashboard();
	const action = useSignal<PolicyRequest['action']>('ask');
	const isBusy = useSignal(false);
	if (!target) return null;
	const write = async (event: Event): Promise<void> => {
		event.preventDefault();
		isBusy.value = true;
		const messages = { done: 'The rule is written.', failed: 'The rule could not be written.' };
		await dashboard.act(messages, '/api/policy', { server, tool, action: action.peek() });
		isBusy.value = false;
		onDone();
	};
	return (
		<form class="policy-control" onSubmit={(event) => void write(event)}>
			<p class="actions">
				<Select
					label={`New rule for ${target.tools}`}
					options={ACTIONS}
					value={action.value}
					onPick={(picked) => (action.value = picked)}
				/>
				<span>
					calls of <code>{visibleLine(target.tools)}</code>
				</span>
				<button type="submit" disabled={isBusy.value}>
					Write rule
				</button>
			</p>
			<CommandText command={policyCommand(target.tools, action.value, target.isOfUser)} />
			{target.file !== null && <p class="dim">As the first rule of {visibleLine(target.file)}</p>}
		</form>
	);
}

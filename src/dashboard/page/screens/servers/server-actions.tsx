/* The buttons of a server. The command that does the same is their title, and in the notice after they are pressed. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ServerAction, SourceRow } from '../../../api/api-types.ts';
import { serverCommand } from '../../../commands/mctl-commands.ts';
import { useDashboard } from '../../live/dashboard.ts';
import { attributeText } from '../../text/visible-text.tsx';

const WORDS: Readonly<Record<ServerAction, { label: string; done: string }>> = {
	start: { label: 'Start', done: 'Started' },
	stop: { label: 'Stop', done: 'Stopped' },
	restart: { label: 'Restart', done: 'Restarted' },
	enable: { label: 'Enable', done: 'Enabled' },
	disable: { label: 'Disable', done: 'Disabled' },
	accept: { label: 'Accept changes', done: 'Accepted the changes of' },
	quarantine: { label: 'Quarantine', done: 'Quarantined the changed tools of' },
};

interface ServerActionsProps {
	readonly server: Pick<SourceRow, 'id' | 'actions'>;
	/** The hash of the tools that the reader sees; sent with `accept`. */
	readonly sha256?: string | null;
	readonly onDone?: () => void;
}

export function ServerActions({ server, sha256, onDone }: ServerActionsProps): JSX.Element {
	const dashboard = useDashboard();
	const busy = useSignal<ServerAction | undefined>(undefined);
	const press = async (action: ServerAction): Promise<void> => {
		busy.value = action;
		const path = `/api/servers/${encodeURIComponent(server.id)}/${action}`;
		const { label, done } = WORDS[action];
		await dashboard.act(
			{ done: `${done} ${server.id}.`, failed: `${label} ${server.id}: failed.` },
			path,
			action === 'accept' && sha256 ? { sha256 } : {},
		);
		busy.value = undefined;
		onDone?.();
	};
	return (
		<span class="actions">
			{server.actions.map((action) => (
				<button
					type="button"
					key={action}
					disabled={busy.value !== undefined}
					aria-label={attributeText(`${WORDS[action].label} ${server.id}`)}
					title={attributeText(serverCommand(action, server.id))}
					onClick={() => void press(action)}
				>
					{busy.value === action ? '…' : WORDS[action].label}
				</button>
			))}
		</span>
	);
}

/* Import servers from the files of other clients, and connect a client. Both show the change first. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ApiObject, ClientFilesReply } from '../../../api/api-types.ts';
import type { CallRun } from '../../call/call-run.ts';
import { CommandButton, CommandOutput, useCommandRun } from '../../call/command-panel.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { Panel, Select } from '../../components/panel.tsx';
import { useFetched } from '../../components/use-fetched.ts';
import { objectsIn, textIn } from '../../live/json-fields.ts';
import { formatCounted } from '../../text/quantities.ts';
import { TextBox, visibleLine, visibleText } from '../../text/visible-text.tsx';

export function ImportPanel(): JSX.Element {
	const look = useCommandRun();
	const run = useCommandRun();
	const left = useSignal<ReadonlySet<string>>(new Set());
	const found = objectsIn(look.result.value?.['servers']);
	const names = found.map((server) => textIn(server, 'name')).filter((name) => !left.value.has(name));
	const toggle = (name: string, isOn: boolean): void => {
		const next = new Set(left.value);
		if (isOn) next.delete(name);
		else next.add(name);
		left.value = next;
	};
	return (
		<Panel title="Import from your clients">
			<div class="fields">
				<p>
					Servers that Claude, Cursor, VS Code and other clients have move here, and the clients use the hub.
				</p>
				<CommandButton run={look} command={{ kind: 'import', names: [], isDryRun: true }} label="Look" />
				<CommandOutput run={look}>
					{found.length === 0 && <p class="dim">No client has a server that is not here already.</p>}
					<ul class="found">
						{found.map((server) => (
							<ImportChoice
								server={server}
								isOn={!left.value.has(textIn(server, 'name'))}
								onToggle={(isOn) => toggle(textIn(server, 'name'), isOn)}
							/>
						))}
					</ul>
					<PlannedChange run={look} />
				</CommandOutput>
				{found.length > 0 && (
					<CommandButton
						run={run}
						command={names.length === 0 ? undefined : { kind: 'import', names, isDryRun: false }}
						label={`Import ${formatCounted(names.length, 'server')}`}
						isPrimary
					/>
				)}
				<CommandOutput run={run}>
					<ChangeDone run={run} />
				</CommandOutput>
			</div>
		</Panel>
	);
}

interface ImportChoiceProps {
	readonly server: ApiObject;
	readonly isOn: boolean;
	readonly onToggle: (isOn: boolean) => void;
}

function ImportChoice({ server, isOn, onToggle }: ImportChoiceProps): JSX.Element {
	const clients = server['clients'];
	return (
		<li>
			<label class="choice">
				<input type="checkbox" checked={isOn} onChange={(event) => onToggle(event.currentTarget.checked)} />
				<strong>{visibleLine(textIn(server, 'name'))}</strong>
				<span class="dim">{visibleLine(Array.isArray(clients) ? clients.map(String).join(', ') : '')}</span>
			</label>
		</li>
	);
}

export function ConnectPanel(): JSX.Element {
	const files = useFetched<ClientFilesReply>('/api/clients');
	const chosen = useSignal('');
	const look = useCommandRun();
	const run = useCommandRun();
	const clients = files.value.value?.clients ?? [];
	const client = chosen.value || clients.find(({ isConnected }) => !isConnected)?.id || clients[0]?.id;
	const title = clients.find(({ id }) => id === client)?.title ?? '';
	return (
		<Panel title="Connect a client">
			<div class="fields">
				<p>The client starts the hub by itself, and gets all servers of this project.</p>
				{clients.length === 0 && files.value.value && (
					<p class="dim">
						No file of a known client is on this machine. Any MCP client can start{' '}
						<CommandText command="mctl bridge" />
					</p>
				)}
				{client && <ClientChoice clients={clients} value={client} onPick={(id) => (chosen.value = id)} />}
				{client && (
					<CommandButton
						run={look}
						command={{ kind: 'connect', client, isDryRun: true }}
						label="Show the change"
					/>
				)}
				<CommandOutput run={look}>
					<PlannedChange run={look} />
				</CommandOutput>
				{client && (
					<CommandButton
						run={run}
						command={{ kind: 'connect', client, isDryRun: false }}
						label={`Connect ${title}`}
						isPrimary
						onDone={files.reload}
					/>
				)}
				<CommandOutput run={run}>
					<ChangeDone run={run} />
				</CommandOutput>
			</div>
		</Panel>
	);
}

interface ClientChoiceProps {
	readonly clients: ClientFilesReply['clients'];
	readonly value: string;
	readonly onPick: (id: string) => void;
}

function ClientChoice({ clients, value, onPick }: ClientChoiceProps): JSX.Element {
	const options = clients.map(
		({ id, title, isConnected }) => [id, `${title}${isConnected ? ' (connected)' : ''}`] as const,
	);
	return (
		<p class="field">
			<span class="field-title">Client</span>
			<Select label="Client" options={options} value={value} onPick={onPick} />
		</p>
	);
}

/** The files that would change, and what to look at before. */
function PlannedChange({ run }: { run: CallRun }): JSX.Element {
	const files = objectsIn(run.result.value?.['files']);
	const warnings = run.result.value?.['warnings'];
	return (
		<>
			{files.length === 0 && <p class="dim">No file would change.</p>}
			{files.map((file) => (
				<details>
					<summary>{visibleLine(textIn(file, 'path'))}</summary>
					<TextBox text={textIn(file, 'diff')} />
				</details>
			))}
			{Array.isArray(warnings) && warnings.length > 0 && (
				<ul class="warnings">
					{warnings.map((warning) => (
						<li class="finding">{visibleText(String(warning))}</li>
					))}
				</ul>
			)}
		</>
	);
}

function ChangeDone({ run }: { run: CallRun }): JSX.Element {
	const files = objectsIn(run.result.value?.['files']);
	return (
		<>
			<p class="state good">
				{files.length === 0 ? 'Everything was so already.' : 'Done. Restart the clients.'}
			</p>
			<ul class="files">
				{files.map((file) => (
					<li>{visibleLine(textIn(file, 'path'))}</li>
				))}
			</ul>
			{files.length > 0 && (
				<p>
					Every file as it was: <CommandText command="mctl init --undo" />
				</p>
			)}
		</>
	);
}

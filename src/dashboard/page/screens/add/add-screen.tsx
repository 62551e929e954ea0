/* Add: a server, the servers of other clients, or a client. Each is a command that the hub runs. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { attempt } from '../../../../errors.ts';
import { splitCommandLine } from '../../../../process/split-command-line.ts';
import type { PageCommand } from '../../../commands/page-commands.ts';
import { CommandButton, CommandOutput, useCommandRun } from '../../call/command-panel.tsx';
import { type Options, Panel, Toggles } from '../../components/panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { ConnectPanel, ImportPanel } from './import-panel.tsx';
import { RegistryForm } from './registry-form.tsx';
import { TextField } from './text-field.tsx';

const WAYS: Options<string> = [
	['command', 'Command'],
	['url', 'URL'],
	['registry', 'Registry'],
];

export function AddScreen(): JSX.Element {
	return (
		<div class="add">
			<AddServerPanel />
			<ImportPanel />
			<ConnectPanel />
		</div>
	);
}

function AddServerPanel(): JSX.Element {
	const { router } = useDashboard();
	const way = router.route.value.query['way'] ?? 'command';
	const aside = (
		<Toggles
			label="From"
			options={WAYS}
			value={way}
			onPick={(picked) => router.replace(routeHref('add', '', { way: picked }))}
		/>
	);
	return (
		<Panel title="Add a server" aside={aside}>
			{way === 'registry' ? <RegistryForm /> : <AddEntry key={way} isUrl={way === 'url'} />}
		</Panel>
	);
}

/** The form that adds a server by its command line or its address. */
function AddEntry({ isUrl }: { isUrl: boolean }): JSX.Element {
	const run = useCommandRun();
	const name = useSignal('');
	const target = useSignal('');
	const values = useSignal('');
	const command = entryCommand(isUrl, { name: name.value, target: target.value, values: values.value });
	return (
		<form class="fields" onSubmit={(event) => event.preventDefault()}>
			<TextField
				label="Name"
				text={name}
				about="Letters, digits, - and _: its tools are called name__tool."
			/>
			<TextField
				label={isUrl ? 'URL' : 'Command'}
				text={target}
				about={
					isUrl
						? 'As in https://mcp.example.com/mcp'
						: 'As in npx -y @modelcontextprotocol/server-filesystem .'
				}
			/>
			<TextField
				label={isUrl ? 'Headers' : 'Variables'}
				text={values}
				isLong
				about={`One per line, as in ${isUrl ? 'X-Team: a' : 'DEBUG=1'}. Write a secret as \${NAME}, and set NAME where the hub is started.`}
			/>
			<CommandButton run={run} command={command} label="Add" isPrimary />
			<CommandOutput run={run}>
				<p class="state good">
					<a href={routeHref('servers', name.value)}>{visibleLine(`${name.value} is added`)}</a>
				</p>
			</CommandOutput>
		</form>
	);
}

/** Undefined while something is missing. */
function entryCommand(
	isUrl: boolean,
	{ name, target, values }: { name: string; target: string; values: string },
): PageCommand | undefined {
	const lines = values
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '');
	if (!/^\w[\w.-]*$/.test(name) || target.trim() === '') return undefined;
	if (isUrl)
		return /^https?:\/\//.test(target)
			? { kind: 'add-url', name, url: target.trim(), headers: lines }
			: undefined;
	// An unclosed quote: the line is not finished.
	const args = attempt(() => splitCommandLine(target), []);
	return args.length === 0 ? undefined : { kind: 'add-command', name, args, env: lines };
}

/* Hubs: every hub of this user, as `mctl hub ls` lists them, and the fabric of those on other machines. */
import type { JSX } from 'preact';
import type { ApiObject } from '../../api/api-types.ts';
import { dashboardCommand } from '../../commands/mctl-commands.ts';
import { CommandButton, CommandOutput, useCommandRun } from '../call/command-panel.tsx';
import { CommandText } from '../components/command-text.tsx';
import { useNow } from '../components/now.ts';
import { Panel, StateWord } from '../components/panel.tsx';
import { useDashboard } from '../live/dashboard.ts';
import { objectsIn, textIn } from '../live/json-fields.ts';
import { formatBytes, formatCounted, formatDuration } from '../text/quantities.ts';
import { visibleLine } from '../text/visible-text.tsx';
import { FabricPanels } from './fabric-panels.tsx';

const LIST = { kind: 'hubs' } as const;

export function HubsScreen(): JSX.Element {
	const run = useCommandRun(LIST);
	return (
		<>
			<Panel title="Hubs of this user">
				<div class="fields wide-fields">
					<CommandButton run={run} command={LIST} label="Look again" />
					<CommandOutput run={run}>
						<div class="rows hubs">
							{objectsIn(run.result.value?.['hubs']).map((hub) => (
								<HubRow key={textIn(hub, 'root')} hub={hub} />
							))}
						</div>
					</CommandOutput>
				</div>
			</Panel>
			<FabricPanels />
		</>
	);
}

function HubRow({ hub }: { hub: ApiObject }): JSX.Element {
	const { state } = useDashboard();
	const now = useNow(5_000);
	const own = state.value?.hub;
	const { pid, clients, memoryBytes } = hub;
	const root = textIn(hub, 'root');
	const version = textIn(hub, 'version');
	const isOther = version !== '' && own !== undefined && version !== own.version;
	return (
		<div class="row">
			<strong>{visibleLine(root)}</strong>
			<StateWord
				state={clients === null ? 'not responding' : 'running'}
				health={clients === null ? 'bad' : 'good'}
			/>
			<span class="number">{typeof pid === 'number' && `pid ${pid}`}</span>
			<span class={isOther ? 'finding' : undefined}>
				{visibleLine(`${version || 'unknown version'}${isOther ? ', another version' : ''}`)}
			</span>
			<span class="number dim">
				up for {formatDuration(now.value - Date.parse(textIn(hub, 'startedAt')))}
			</span>
			<span class="number">{typeof memoryBytes === 'number' && formatBytes(memoryBytes)}</span>
			<span class="number">{typeof clients === 'number' && formatCounted(clients, 'client')}</span>
			{pid === own?.pid ? (
				<span class="dim">this one</span>
			) : (
				<CommandText command={dashboardCommand(root)} />
			)}
		</div>
	);
}

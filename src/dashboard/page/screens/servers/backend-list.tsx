/* The sources of the hub, each on one line; why one failed is said above, where it needs attention. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { healthOf } from '../../../../hub/source-status.ts';
import type { ApiError, SourceRow } from '../../../api/api-types.ts';
import { serverCommand } from '../../../commands/mctl-commands.ts';
import { FailureShare, SparkBars } from '../../components/charts.tsx';
import { CommandText } from '../../components/command-text.tsx';
import { useNow } from '../../components/now.ts';
import { EmptyState, Panel, StateWord, Toggle } from '../../components/panel.tsx';
import { routeHref } from '../../live/route.ts';
import {
	formatBytes,
	formatCount,
	formatCounted,
	formatDuration,
	formatPercent,
} from '../../text/quantities.ts';
import { visibleLine } from '../../text/visible-text.tsx';
import { isOfUser } from '../overview/flow-model.ts';
import { ServerActions } from './server-actions.tsx';

interface SourcePanelProps {
	readonly backends: readonly SourceRow[];
	/** The class of its rows. */
	readonly rows: string;
	readonly row: (backend: SourceRow) => JSX.Element;
	readonly aside: JSX.Element;
}

/** The servers of the user, and below them what is built in. */
export function SourcePanel({ backends, rows, row, aside }: SourcePanelProps): JSX.Element {
	const servers = backends.filter(isOfUser);
	const builtIns = backends.filter((backend) => !isOfUser(backend));
	return (
		<Panel title="Servers" aside={aside}>
			{servers.length === 0 && <NoServers />}
			<div class={`rows ${rows}`}>
				{servers.map(row)}
				{builtIns.length > 0 && <h3 class="built-in">Built in</h3>}
				{builtIns.map(row)}
			</div>
		</Panel>
	);
}

export function BackendList({ backends }: { backends: readonly SourceRow[] }): JSX.Element {
	const isShowing = useSignal(false);
	const aside = (
		<span class="actions">
			<Toggle isOn={isShowing.value} onClick={() => (isShowing.value = !isShowing.value)}>
				Commands
			</Toggle>
			<CommandText command="mctl hub status" />
		</span>
	);
	const row = (backend: SourceRow): JSX.Element => (
		<Backend key={backend.id} backend={backend} hasCommands={isShowing.value} />
	);
	return <SourcePanel backends={backends} rows="backends" row={row} aside={aside} />;
}

function NoServers(): JSX.Element {
	return (
		<EmptyState title="There is no server yet.">
			Import the servers of your MCP clients with <CommandText command="mctl init" />, or add one with{' '}
			<CommandText command="mctl add files -- npx -y @modelcontextprotocol/server-filesystem ." />
		</EmptyState>
	);
}

function Backend({ backend, hasCommands }: { backend: SourceRow; hasCommands: boolean }): JSX.Element {
	const { id, kind, state, callsPerMinute, errorRate } = backend;
	const calls = callsPerMinute.reduce((sum, count) => sum + count, 0);
	return (
		<div class={`row${state === 'disabled' ? ' off' : ''}`}>
			<a class="name" href={routeHref('servers', id)}>
				{visibleLine(id)}
			</a>
			<StateWord state={state} health={healthOf(backend)} />
			<span class="dim kind">
				{visibleLine([kind, backend.version, backend.era].filter(Boolean).join(' · '))}
			</span>
			<span class="number pid">
				{backend.pid === null ? '' : `pid ${backend.pid}`}
				{backend.processes > 1 && ` of ${formatCount(backend.processes)} processes`}
			</span>
			<span class="number memory">
				{backend.memoryBytes === null ? '' : formatBytes(backend.memoryBytes)}
			</span>
			<span class="number tools">{backend.tools !== null && formatCounted(backend.tools, 'tool')}</span>
			<SparkBars values={callsPerMinute} label={`${formatCounted(calls, 'call')} in 30 minutes`} />
			<span class="number calls">{formatCount(callsPerMinute.at(-1) ?? 0)}/min</span>
			<FailureShare
				share={calls === 0 ? undefined : errorRate}
				label={`${formatPercent(errorRate)} of the calls in 30 minutes failed`}
			/>
			<ServerActions server={withoutDecisions(backend)} />
			{hasCommands && <BackendCommands backend={backend} />}
			<BackendRemarks backend={backend} />
		</div>
	);
}

/** The commands of the buttons, for a terminal. */
function BackendCommands({ backend }: { backend: SourceRow }): JSX.Element | null {
	const { id, actions } = withoutDecisions(backend);
	if (actions.length === 0) return null;
	return (
		<p class="remarks">
			{actions.map((action) => (
				<CommandText command={serverCommand(action, id)} />
			))}
		</p>
	);
}

function BackendRemarks({ backend }: { backend: SourceRow }): JSX.Element | null {
	const { id, nextTryAt, restarts, drifted, calls, needsSignIn } = backend;
	const remarks = [
		needsSignIn ? 'needs a sign-in' : '',
		calls > 0 ? `${formatCount(calls)} in flight` : '',
		restarts > 0 ? `restarted ${restarts === 1 ? 'once' : `${formatCount(restarts)} times`}` : '',
	].filter(Boolean);
	if (remarks.length === 0 && nextTryAt === null && drifted === 0) return null;
	return (
		<p class="remarks dim">
			{remarks.join(' · ')} {nextTryAt !== null && <NextTry at={Date.parse(nextTryAt)} />}{' '}
			{drifted > 0 && <a href={routeHref('servers', id)}>Its tools changed since they were pinned: review</a>}
		</p>
	);
}

function NextTry({ at }: { at: number }): JSX.Element {
	const now = useNow();
	const ms = at - now.value;
	return (
		<span>{ms < 1_000 ? 'starts again with the next call' : `starts again in ${formatDuration(ms)}`}</span>
	);
}

/** Why a source failed or is unhealthy. */
export function errorOfRow({ lastError, errorCode, hint }: SourceRow): ApiError | undefined {
	if (lastError === null) return undefined;
	return { code: errorCode ?? 'internal', message: lastError, hint: hint ?? undefined };
}

/** A change is decided about where it is shown. */
export function withoutDecisions({ id, actions }: SourceRow): Pick<SourceRow, 'id' | 'actions'> {
	return { id, actions: actions.filter((action) => action !== 'accept' && action !== 'quarantine') };
}

/*
 * The fabric: workers on other machines whose tools this hub uses, the last calls to them that failed, and what this hub
 * announces itself. `mctl fabric status` shows the same.
 */
import type { JSX } from 'preact';
import type {
	FabricFailure,
	FabricGroup,
	FabricLinkFacts,
	FabricMember,
	FabricOverview,
	KnownWorker,
} from '../../../hub/fabric-overview.ts';
import type { Health } from '../../../hub/source-status.ts';
import type { FabricReply } from '../../api/api-types.ts';
import { CommandText } from '../components/command-text.tsx';
import { useNow } from '../components/now.ts';
import { EmptyState, Fact, Panel, StateWord } from '../components/panel.tsx';
import { useRenewed } from '../components/use-fetched.ts';
import { routeHref } from '../live/route.ts';
import { formatAge, formatCount, formatCounted, formatMoment } from '../text/quantities.ts';
import { visibleLine, visibleText } from '../text/visible-text.tsx';

const LINK_HEALTH: Readonly<Record<FabricLinkFacts['state'], Health>> = {
	up: 'good',
	suspect: 'warn',
	down: 'bad',
};
const OUTCOMES: Readonly<Record<FabricFailure['outcome'], string>> = {
	not_run: 'did not run',
	unknown: 'outcome unknown',
	ran: 'failed',
};

export function FabricPanels(): JSX.Element | null {
	const reply = useRenewed<FabricReply>('/api/fabric').value.value;
	if (!reply) return null;
	const { use, offer, members } = reply;
	return (
		<>
			{use && <UsedFabric use={use} />}
			{offer && <WorkerPanel offer={offer} />}
			{members.length > 0 && <MemberPanel members={members} />}
			{!use && !offer && (
				<Panel title="Fabric">
					<EmptyState title="This hub uses no tools of other machines.">
						With the setting <code>fabric</code> it calls workers over NATS. The first step:{' '}
						<CommandText command="mctl help fabric" />
					</EmptyState>
				</Panel>
			)}
		</>
	);
}

function UsedFabric({ use }: { use: FabricOverview }): JSX.Element {
	return (
		<>
			<Panel title="Fabric" aside={<CommandText command="mctl fabric status" />}>
				<dl class="strip">
					<Fact name="name">{visibleLine(use.name)}</Fact>
					<LinkFacts link={use.link} />
					<Fact name="in flight">{formatCount(use.inFlight)}</Fact>
				</dl>
				{use.groups.length === 0 && (
					<EmptyState title="No worker offers anything to this hub.">
						Start one on another machine: <CommandText command="mctl worker" />
					</EmptyState>
				)}
				<div class="rows fabric-rows">
					{use.groups.flatMap((group) =>
						group.workers.map((worker, at) => (
							<WorkerRow
								key={`${group.name} ${worker.name}`}
								group={at === 0 ? group : undefined}
								worker={worker}
							/>
						)),
					)}
				</div>
			</Panel>
			{use.failures.length > 0 && <FailurePanel failures={use.failures} />}
		</>
	);
}

function LinkFacts({ link }: { link: FabricLinkFacts }): JSX.Element {
	const server = [link.server ?? 'no server', link.version && `nats-server ${link.version}`, link.cluster];
	return (
		<>
			<Fact name="link">
				<StateWord state={link.state} health={LINK_HEALTH[link.state]} />
			</Fact>
			<Fact name="server">{visibleLine(server.filter(Boolean).join(' · '))}</Fact>
			<Fact name="connections lost">{formatCount(link.losses)}</Fact>
			{link.reason && <Fact name="reason">{visibleLine(link.reason)}</Fact>}
		</>
	);
}

/** @param group of the first worker of a group */
function WorkerRow({ group, worker }: { group: FabricGroup | undefined; worker: KnownWorker }): JSX.Element {
	const now = useNow(5_000);
	const { name, version, labels, running, isDraining, heardAt, calls, unknown } = worker;
	return (
		<div class="row">
			<span class="name">
				{group && (
					<>
						<strong>{visibleLine(group.name)}</strong>{' '}
						<span class="dim">
							{formatCounted(group.tools, 'tool')}, {pinText(group)}
						</span>
					</>
				)}
			</span>
			<StateWord state={isDraining ? 'draining' : 'ready'} health={isDraining ? 'warn' : 'good'} />
			{visibleLine(name)}
			<span class="dim">{visibleLine([version, ...labels].filter(Boolean).join(' · '))}</span>
			<span class="number">{formatCount(running)} running</span>
			<span class="number">
				{formatCounted(calls, 'call')} of this hub
				{unknown > 0 && `, ${formatCount(unknown)} with an unknown outcome`}
			</span>
			<span class="number dim">heard {formatAge(heardAt, now.value)} ago</span>
		</div>
	);
}

/** The tools of a group against what was accepted. */
function pinText({ name, pin, drifted, quarantined }: FabricGroup): string {
	if (pin === 'off') return 'not pinned';
	if (quarantined > 0) return `${formatCount(quarantined)} quarantined: mctl trust diff fabric:${name}`;
	return drifted > 0 ? `${formatCount(drifted)} changed: mctl trust diff fabric:${name}` : 'as accepted';
}

function MemberPanel({ members }: { members: readonly FabricMember[] }): JSX.Element {
	return (
		<Panel title="Members with a key" aside={<CommandText command="mctl fabric invite" />}>
			<ul class="found">
				{members.map(({ name, offers, calls, isRotating }) => (
					<li key={name}>
						<strong>{visibleLine(name)}</strong>{' '}
						<span class="dim">
							{visibleLine(
								[
									offers !== undefined && `offers ${offers}`,
									calls.length > 0 && `uses ${calls.join(' and ')}`,
									isRotating && 'its key is being rotated',
								]
									.filter(Boolean)
									.join(', '),
							)}
						</span>
					</li>
				))}
			</ul>
		</Panel>
	);
}

function FailurePanel({ failures }: { failures: readonly FabricFailure[] }): JSX.Element {
	return (
		<Panel
			title="Last failures of remote calls"
			aside={<a href={routeHref('calls', '', { backend: 'fabric' })}>Calls</a>}
		>
			<ul class="found">
				{failures.map(({ at, group, tool, worker, outcome, message }) => (
					<li key={`${at} ${tool}`}>
						<span class="dim number">{formatMoment(at)}</span>{' '}
						<strong>{visibleLine(`${group}__${tool}`)}</strong>{' '}
						<StateWord state={OUTCOMES[outcome]} health={outcome === 'unknown' ? 'warn' : 'bad'} />{' '}
						{visibleText(worker === null ? message : `at ${worker}: ${message}`)}
					</li>
				))}
			</ul>
		</Panel>
	);
}

function WorkerPanel({ offer }: { offer: NonNullable<FabricReply['offer']> }): JSX.Element {
	const sum = (counts: Readonly<Record<string, number>>): string =>
		formatCount(Object.values(counts).reduce((total, count) => total + count, 0));
	return (
		<Panel title="Offered to other hubs">
			<dl class="strip">
				<Fact name="group">{visibleLine(offer.group)}</Fact>
				<Fact name="tools">{formatCount(offer.tools)}</Fact>
				<Fact name="state">
					<StateWord
						state={offer.isDraining ? 'draining' : offer.isReady ? 'ready' : 'not ready'}
						health={offer.isDraining ? 'warn' : offer.isReady ? 'good' : 'bad'}
					/>
				</Fact>
				<LinkFacts link={offer.link} />
				<Fact name="running">{sum(offer.running)}</Fact>
				<Fact name="accepted">{sum(offer.accepted)}</Fact>
				<Fact name="refused">{sum(offer.refused)}</Fact>
			</dl>
		</Panel>
	);
}

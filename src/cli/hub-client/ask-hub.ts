/* Query the status of a running hub over its link. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestraError } from '../../errors.ts';
import type { FabricFacts } from '../../hub/fabric-overview.ts';
import type { HubSourceStatus, ProcessStatus } from '../../hub/shared/hub-details.ts';
import type { HubFolder } from '../../hub/shared/hub-folder.ts';
import { diagnoseBlockedHub } from '../../hub/shared/hub-health.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { loadIdentity, ORCHESTRATOR_NAME } from '../../link/certificates/certificates.ts';
import { ASK_HUB_MS, HUB_ANNOUNCE_MS, HUB_LOOK_AGAIN_MS } from '../cli-limits.ts';
import type { CommandPlace } from '../command.ts';
import { hubFolderHere } from './hub-location.ts';

export interface HubStatus extends HubRecord {
	readonly backends: readonly HubSourceStatus[];
	readonly processes: readonly ProcessStatus[];
	/** The MCP servers among them. */
	readonly servers: readonly HubSourceStatus[];
	/** Null for a hub of an older version. */
	readonly fabric: FabricFacts | null;
	/** A sentence for each project file that is not trusted: what is blocked. */
	readonly blocked: readonly string[];
	/** Bridges that are connected. */
	readonly clients: number;
	readonly memoryBytes: number;
}

/** The status of the hub of this folder. Throws `closed` (exit 69) when none runs, `timeout` (exit 124) when it does not respond. */
export async function askHub({ cwd, environment }: CommandPlace): Promise<HubStatus> {
	const folder = hubFolderHere({ cwd, environment });
	return askHubAt(folder, await announcedHub(folder));
}

/** The status of this hub. */
export async function askHubAt(folder: HubFolder, record: HubRecord): Promise<HubStatus> {
	try {
		return { ...record, ...(await ask(record, ASK_HUB_MS)) };
	} catch (thrown) {
		const blocked = OrchestraError.is(thrown, 'timeout') && diagnoseBlockedHub(folder, ASK_HUB_MS);
		throw blocked || thrown;
	}
}

async function ask(record: HubRecord, timeoutMs: number): Promise<Omit<HubStatus, keyof HubRecord>> {
	// Loaded for a hub that runs: without one, and for a mistyped command, it would be most of the time.
	const { PluginClient } = await import('../../plugin/client/plugin-client.ts');
	const identity = await loadIdentity(record.certsDir, 'mctl-client');
	const client = await PluginClient.connect({
		address: record.address,
		identity,
		peerName: ORCHESTRATOR_NAME,
		handshakeMs: timeoutMs,
		keepsSpare: false, // there is one request
	});
	try {
		const { details } = await client.ask({ case: 'health', value: {} }, 'health', { timeoutMs });
		return {
			backends: JSON.parse(details['backends'] ?? '[]'),
			processes: JSON.parse(details['processes'] ?? '[]'),
			servers: JSON.parse(details['servers'] ?? '[]'),
			fabric: JSON.parse(details['fabric'] ?? 'null'),
			blocked: JSON.parse(details['blocked'] ?? '[]'),
			clients: Number(details['clients'] ?? 0),
			memoryBytes: Number(details['memoryBytes'] ?? 0),
		};
	} finally {
		await client.close();
	}
}

/** The record of the hub, waited for while its process lives without one. */
async function announcedHub(folder: HubFolder): Promise<HubRecord> {
	const giveUpAt = performance.now() + HUB_ANNOUNCE_MS;
	for (;;) {
		const record = folder.running();
		if (record) return record;
		const owner = folder.owner();
		if (owner === undefined) {
			throw new OrchestraError('closed', 'no hub is running for this folder', {
				hint: 'Start it with: mctl hub start',
			});
		}
		if (performance.now() > giveUpAt) {
			throw new OrchestraError('closed', `the hub, process ${owner.pid}, has not published its address`, {
				hint: 'It may still be starting. If not, end it with: mctl hub stop --force',
			});
		}
		await sleep(HUB_LOOK_AGAIN_MS);
	}
}

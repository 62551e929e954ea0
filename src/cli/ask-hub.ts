/* Ask the running hub how it is doing, over its own link. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestraError } from '../errors.ts';
import type { BackendStatus, ProcessStatus } from '../hub/shared/hub-details.ts';
import type { HubFolder, HubRecord } from '../hub/shared/hub-folder.ts';
import { PluginClient } from '../plugin/plugin-client.ts';
import { loadIdentity, ORCHESTRATOR_NAME } from '../quic/certificates.ts';
import { hubFolderHere } from './hub-location.ts';

/** How long the hub may take to answer, in milliseconds. */
const ASK_MS = 5000;

export interface HubStatus extends HubRecord {
	readonly backends: readonly BackendStatus[];
	readonly processes: readonly ProcessStatus[];
	readonly memoryBytes: number;
}

/** How long a hub that runs may take to (again) say where it listens, in milliseconds. */
const ANNOUNCE_MS = 3000;
const LOOK_AGAIN_MS = 50;

/** What the hub of this folder says. Throws `closed` (exit 69) when none runs. */
export async function askHub(environment: Readonly<NodeJS.ProcessEnv>): Promise<HubStatus> {
	const record = await announcedHub(hubFolderHere(environment));
	const identity = await loadIdentity(record.certsDir, 'mctl-client');
	const client = await PluginClient.connect({
		address: record.address,
		identity,
		peerName: ORCHESTRATOR_NAME,
		handshakeMs: ASK_MS,
	});
	try {
		const { details } = await client.ask({ case: 'health', value: {} }, 'health', { timeoutMs: ASK_MS });
		return {
			...record,
			backends: JSON.parse(details['backends'] ?? '[]'),
			processes: JSON.parse(details['processes'] ?? '[]'),
			memoryBytes: Number(details['memoryBytes'] ?? 0),
		};
	} finally {
		await client.close();
	}
}

/** The record of the hub, waited for while its process lives without one. */
async function announcedHub(folder: HubFolder): Promise<HubRecord> {
	const giveUpAt = performance.now() + ANNOUNCE_MS;
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
			throw new OrchestraError('closed', `the hub, process ${owner.pid}, does not say where it listens`, {
				hint: 'It may still be starting. If not, end it with: mctl hub stop',
			});
		}
		await sleep(LOOK_AGAIN_MS);
	}
}

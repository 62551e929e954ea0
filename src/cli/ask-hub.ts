/* Ask the running hub how it is doing, over its own link. */
import { OrchestraError } from '../errors.ts';
import type { BackendStatus, ProcessStatus } from '../hub/shared/hub-details.ts';
import type { HubRecord } from '../hub/shared/hub-folder.ts';
import { PluginClient } from '../plugin/plugin-client.ts';
import { loadIdentity } from '../quic/certificates.ts';
import { hubFolderHere } from './hub-location.ts';

/** How long the hub may take to answer, in milliseconds. */
const ASK_MS = 5000;

export interface HubStatus extends HubRecord {
	readonly backends: readonly BackendStatus[];
	readonly processes: readonly ProcessStatus[];
	readonly memoryBytes: number;
}

/** What the hub of this folder says. Throws `closed` (exit 69) when none runs. */
export async function askHub(environment: Readonly<NodeJS.ProcessEnv>): Promise<HubStatus> {
	const record = hubFolderHere(environment).running();
	if (record === undefined) {
		throw new OrchestraError('closed', 'no hub is running for this folder', {
			hint: 'Start it with: mctl hub start',
		});
	}
	const identity = await loadIdentity(record.certsDir, 'mctl-client');
	const client = await PluginClient.connect({ address: record.address, identity, handshakeMs: ASK_MS });
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

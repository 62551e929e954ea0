/* The files of MCP clients on this machine, and which clients are connected. */
import { homedir } from 'node:os';
import { readClientFiles } from '../../config/clients/client-files.ts';
import type { ClientFilesReply } from '../api/api-types.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';

export function clientFiles({
	opened,
	environment,
}: Pick<DashboardDeps, 'opened' | 'environment'>): ClientFilesReply {
	const home = environment['HOME'] || homedir();
	const project = opened.configuration().root;
	const { files } = readClientFiles({ platform: process.platform, home, project, environment });
	const titles = new Map(files.map(({ client }) => [client.id, client.title]));
	return {
		clients: [...titles].map(([id, title]) => {
			const own = files.filter(({ client }) => client.id === id);
			return {
				id,
				title,
				files: own.map(({ path }) => path),
				isConnected: own.some(({ servers }) => servers.some(({ isSelf, isStale }) => isSelf && !isStale)),
			};
		}),
	};
}

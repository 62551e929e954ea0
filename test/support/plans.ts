/* A hub with `plans: true` over the official servers for files and a graph, and a client that sends programs. */
import { createRequire } from 'node:module';
import type { Journal } from '../../src/hub/journal/journal.ts';
import type { Tracer } from '../../src/telemetry/tracer.ts';
import { type HubClient, type HubClientOptions, type ServedHub, serveServers } from './served-hub.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

const { resolve } = createRequire(import.meta.url);

export interface PlanHubOptions extends HubClientOptions {
	/** Further sections of the configuration. */
	readonly more?: object;
	readonly journal?: Journal;
	readonly tracer?: Tracer;
	/** Further servers. */
	readonly servers?: Record<string, unknown>;
}

export interface PlanPlace {
	readonly served: ServedHub;
	readonly client: HubClient;
	/** A folder with `a.txt` (`first`) and `b.txt` (`second`), which the server of files may read and write. */
	readonly folder: string;
}

/** Open a hub with plans, and connect. */
export async function planHub({
	more,
	servers,
	journal,
	tracer,
	...client
}: PlanHubOptions = {}): Promise<PlanPlace> {
	const folder = temporaryFolder();
	writeFiles(folder, { 'a.txt': 'first', 'b.txt': 'second' });
	const entry = (name: string, ...args: string[]): object => ({
		command: process.execPath,
		args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
		env: { MEMORY_FILE_PATH: `${folder}/memory.jsonl` },
	});
	const served = await serveServers(
		{ files: entry('filesystem', folder), memory: entry('memory'), ...servers },
		{ more: { plans: true, ...more }, ...(journal && { journal }), ...(tracer && { tracer }) },
	);
	return { served, client: await served.client(client), folder };
}

/** The text of the result of a program. */
export async function runPlan(client: HubClient, code: string, input?: unknown): Promise<string> {
	return client.call('run_plan', { code, input });
}

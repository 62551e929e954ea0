/* `mctl worker`: a hub that only serves its tools to other hubs. No agent, and no port but for health and metrics. */
import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { WORKER_DRAIN_MS } from '../../fabric/fabric-limits.ts';
import type { ConfiguredWorker } from '../../fabric/worker/configured-worker.ts';
import type { WorkerOverview } from '../../hub/fabric-overview.ts';
import { serveJournal } from '../../hub/journal/serve-journal.ts';
import { type OpenedHub, openHub } from '../../hub/open-hub.ts';
import type { HubHttp } from '../../hub/shared/run-hub.ts';
import { HUB_GRACE_MS } from '../../hub/shared/shared-limits.ts';
import type { Log } from '../../log.ts';
import { aborted } from '../../rpc/abortable.ts';
import { within } from '../../rpc/clock.ts';
import type { Command } from '../command.ts';
import { configFile, configFlag } from '../config-flag.ts';

/** The patterns that are advertised when the configuration has none. */
const EVERYTHING = ['*'];

export const worker: Command = {
	usage: 'mctl worker [--config FILE] [--examples] [--json]',
	examples: ['mctl worker', 'mctl worker --config gpu-box.json'],
	flags: {
		config: configFlag,
		examples: { help: 'advertise the bundled example tools too' },
		json: { help: 'print one JSON object when the tools are advertised' },
	},

	isServer: true,
	graceMs: WORKER_DRAIN_MS + HUB_GRACE_MS,

	async run(input) {
		const { flags, cwd, environment, signal, out } = input;
		const file = configFile(input, worker);
		const log = out.log('worker', environment);
		const folder = async (): Promise<string> => {
			const { hubFolderHere } = await import('../hub-client/hub-location.ts');
			return hubFolderHere({ cwd, environment }).path;
		};
		const journal = serveJournal(folder, log);
		// Read as it is written: a hub that only serves others has no `use`.
		const ignored = ignoredSetting(loadConfiguration({ cwd, environment, file }).configuration);
		if (ignored !== undefined) throw ignored;
		const narrow = (read: Configuration): Configuration =>
			workerConfiguration(read, flags['examples'] === true);
		const opened = await openHub({ cwd, environment, file, log, journal, narrow });
		let opening: Promise<ConfiguredWorker> | undefined;
		let http: HubHttp | undefined;
		try {
			const { fabric } = opened.configuration();
			if (fabric === undefined) throw noFabric();
			const { openWorker } = await import('../../fabric/open-fabric.ts');
			opening = openWorker(opened, { environment, log, patterns: EVERYTHING, drainMs: WORKER_DRAIN_MS });
			const configured = await Promise.race([opening, aborted(signal)]);
			if (configured?.isOpen === false) throw noFabric();
			if (configured) http = await openHttp({ opened, configured, folder, log });
			await Promise.race([configured?.advertised(), aborted(signal)]);
			const { name, group } = fabric;
			if (flags['json'] === true && !signal.aborted)
				out.json({
					schema: 'orchestra.worker/1',
					name,
					group,
					tools: configured?.tools,
					...(http && { http: http.url }),
				});
			await aborted(signal);
			log.info('the worker is stopping: running calls are finished first; a second signal ends them');
		} finally {
			await (opening && (await within(opening, HUB_GRACE_MS)))?.close();
			await http?.close();
			await within(opened.close(), HUB_GRACE_MS);
		}
	},
};

/** Undefined without the setting. */
async function openHttp({
	opened,
	configured,
	folder,
	log,
}: {
	opened: OpenedHub;
	configured: ConfiguredWorker;
	folder: () => Promise<string>;
	log: Log;
}): Promise<HubHttp | undefined> {
	const { fabric, hub: settings } = opened.configuration();
	const address = fabric?.httpAddr;
	if (address === undefined) return undefined;
	const { openWorkerHttp } = await import('../../http/open-worker-http.ts');
	const { hub, spans } = opened;
	const overview = (): WorkerOverview | undefined => configured.overview();
	const http = await openWorkerHttp({
		address,
		settings,
		folder: await folder(),
		hub,
		worker: overview,
		spans,
		log,
	});
	log.info(`health and metrics are at ${http.url}`);
	return http;
}

function workerConfiguration(read: Configuration, withExamples: boolean): Configuration {
	const tools = withExamples ? { ...read.tools, examples: true } : read.tools;
	return { ...read, tools, fabric: read.fabric && { ...read.fabric, use: [] } };
}

/** A setting of the configuration that does nothing in a worker; its user expects that it does. */
function ignoredSetting({ hub, fabric }: Configuration): OrchestraError | undefined {
	const ignored = (['httpAddr', 'listenAddr', 'tcpAddr', 'idleMs'] as const).find(
		(name) => hub[name] !== undefined,
	);
	if (ignored !== undefined)
		return new OrchestraError('bad_input', `mctl worker does not use hub.${ignored}`, {
			hint: 'Health and metrics of a worker are at fabric.httpAddr. Use mctl hub run with fabric.offer for a hub that advertises its tools too.',
		});
	if (fabric === undefined) return undefined;
	const unused =
		fabric.use !== undefined && fabric.use.length > 0 ? 'use' : fabric.rules.length > 0 ? 'rules' : undefined;
	return unused === undefined
		? undefined
		: new OrchestraError(
				'bad_input',
				`mctl worker calls no tools of others, so fabric.${unused} does nothing`,
				{
					hint: `Remove fabric.${unused}, or use mctl hub run with fabric.offer for a hub that does both.`,
				},
			);
}

function noFabric(): OrchestraError {
	return new OrchestraError('bad_input', 'the configuration advertises nothing to a fabric', {
		hint: 'Add "fabric": { "servers": ["tls://host:4222"], "name": "my-worker" } to orchestra.json.',
	});
}

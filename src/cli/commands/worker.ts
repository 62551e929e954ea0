/* `mctl worker`: a hub that only offers its tools to other hubs. No agent, no port. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { OrchestraError } from '../../errors.ts';
import { WORKER_DRAIN_MS } from '../../fabric/fabric-timers.ts';
import type { FollowedOffer } from '../../fabric/followed-offer.ts';
import { openHub } from '../../hub/open-hub.ts';
import { serveJournal } from '../../hub/serve-journal.ts';
import { HUB_GRACE_MS } from '../../hub/shared/stop-hub.ts';
import { aborted } from '../../rpc/abortable.ts';
import { within } from '../../rpc/clock.ts';
import { type Command, refuseWords, usageError } from '../command.ts';

/** Offered when the configuration does not say what. */
const EVERYTHING = ['*'];

export const worker: Command = {
	usage: 'mctl worker [--config FILE] [--examples] [--json]',
	examples: ['mctl worker', 'mctl worker --config gpu-box.json'],
	flags: {
		config: { type: 'string', value: 'FILE', help: 'use this configuration file and no other' },
		examples: { type: 'boolean', help: 'offer the bundled example tools too' },
		json: { type: 'boolean', help: 'print one JSON object when the tools are offered' },
	},

	isServer: true,
	graceMs: WORKER_DRAIN_MS + HUB_GRACE_MS,

	async run(input) {
		const { flags, cwd, environment, signal, out } = input;
		refuseWords(input, worker);
		const file = typeof flags['config'] === 'string' ? resolve(cwd, flags['config']) : undefined;
		if (file !== undefined && !existsSync(file))
			throw usageError(worker, `there is no configuration file ${file}`);
		const log = out.log('worker', environment);
		const journal = serveJournal(async () => {
			const { hubFolderHere } = await import('../hub-client/hub-location.ts');
			return hubFolderHere({ cwd, environment }).path;
		}, log);
		const narrow = (read: Configuration): Configuration => onlyOffering(read, flags['examples'] === true);
		const opened = await openHub({ cwd, environment, file, log, journal, narrow });
		let opening: Promise<FollowedOffer> | undefined;
		try {
			const { fabric } = opened.configuration();
			if (fabric === undefined) throw noFabric();
			const { openOffer } = await import('../../fabric/open-fabric.ts');
			opening = openOffer(opened, { environment, log, patterns: EVERYTHING, drainMs: WORKER_DRAIN_MS });
			const offer = await Promise.race([opening, aborted(signal)]);
			if (offer?.isOpen === false) throw noFabric();
			await Promise.race([offer?.offered(), aborted(signal)]);
			const { name, group } = fabric;
			if (flags['json'] === true && !signal.aborted)
				out.json({ schema: 'orchestra.worker/1', name, group, tools: offer?.tools });
			await aborted(signal);
			log.info('the worker is stopping: running calls are finished first; a second signal ends them');
		} finally {
			await (opening && (await within(opening, HUB_GRACE_MS)))?.close();
			await within(opened.close(), HUB_GRACE_MS);
		}
	},
};

function onlyOffering(read: Configuration, withExamples: boolean): Configuration {
	const tools = withExamples ? { ...read.tools, examples: true } : read.tools;
	return { ...read, tools, fabric: read.fabric && { ...read.fabric, use: [] } };
}

function noFabric(): OrchestraError {
	return new OrchestraError('bad_input', 'the configuration offers nothing to a fabric', {
		hint: 'Add "fabric": { "servers": ["tls://host:4222"], "name": "my-worker" } to orchestra.json.',
	});
}

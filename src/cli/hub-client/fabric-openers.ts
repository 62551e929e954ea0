/* The fabric for hubs that the commands open. Its code is loaded when the configuration has `fabric`. */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { HubWorker, RunHubOptions } from '../../hub/shared/run-hub.ts';
import type { OpenFabric } from '../../hub/sources/build-sources.ts';

/** The tools of other hubs. */
export const openFabric: OpenFabric = async (settings, deps) => {
	const { openFabricSource } = await import('../../fabric/open-fabric.ts');
	return openFabricSource(settings, deps);
};

/** The worker of the shared hub, as its configuration says at any time. */
export function hubWorker(environment: Readonly<NodeJS.ProcessEnv>): RunHubOptions['openWorker'] {
	return async (opened, log) => {
		let worker: HubWorker | undefined;
		let opening: Promise<void> | undefined;
		const open = async (): Promise<void> => {
			const { openWorker } = await import('../../fabric/open-fabric.ts');
			worker = await openWorker(opened, { environment, log: log.named('fabric') });
		};
		const openWithSetting = async (): Promise<void> => {
			const { fabric } = opened.configuration();
			if (fabric?.offer && fabric.httpAddr !== undefined) throw workerSetting();
			if (fabric?.offer) opening ??= open();
			return opening;
		};
		await openWithSetting();
		const stopListening = opened.onReload(() => {
			openWithSetting().catch((error: unknown) =>
				log.error(`the tools cannot be advertised to the fabric: ${messageOf(error)}`),
			);
		});
		return {
			get isOpen() {
				return worker?.isOpen === true;
			},
			overview: () => worker?.overview(),
			async close() {
				stopListening();
				await opening;
				await worker?.close();
			},
		};
	};
}

/** A setting that is ignored is an error. */
function workerSetting(): OrchestraError {
	return new OrchestraError('bad_input', 'fabric.httpAddr is for mctl worker; this hub would ignore it', {
		hint: 'Health and metrics of a hub are at hub.httpAddr.',
	});
}

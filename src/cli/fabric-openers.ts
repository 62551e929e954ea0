/* The fabric for hubs that the commands open. Its code is loaded when the configuration has `fabric`. */
import type { OpenFabric } from '../hub/backends/build-backends.ts';
import type { RunHubOptions } from '../hub/shared/run-hub.ts';

/** The tools of other hubs. */
export const openFabric: OpenFabric = async (settings, parts) => {
	const { openFabricBackend } = await import('../fabric/open-fabric.ts');
	return openFabricBackend(settings, parts);
};

/** The offer of the shared hub. */
export function hubOffer(environment: Readonly<NodeJS.ProcessEnv>): RunHubOptions['openOffer'] {
	return async (opened, log) => {
		if (!opened.configuration().fabric?.offer) return undefined;
		const { openOffer } = await import('../fabric/open-fabric.ts');
		return openOffer(opened, { environment, log: log.named('fabric') });
	};
}

/* The fabric for hubs that the commands open. Its code is loaded when the configuration has `fabric`. */
import { messageOf } from '../../errors.ts';
import type { HubOffer, RunHubOptions } from '../../hub/shared/run-hub.ts';
import type { OpenFabric } from '../../hub/sources/build-sources.ts';

/** The tools of other hubs. */
export const openFabric: OpenFabric = async (settings, parts) => {
	const { openFabricSource } = await import('../../fabric/open-fabric.ts');
	return openFabricSource(settings, parts);
};

/** The offer of the shared hub, as its configuration says at any time. */
export function hubOffer(environment: Readonly<NodeJS.ProcessEnv>): RunHubOptions['openOffer'] {
	return async (opened, log) => {
		let offer: HubOffer | undefined;
		let opening: Promise<void> | undefined;
		const open = async (): Promise<void> => {
			const { openOffer } = await import('../../fabric/open-fabric.ts');
			offer = await openOffer(opened, { environment, log: log.named('fabric') });
		};
		const openWithSetting = (): Promise<void> | undefined => {
			if (opened.configuration().fabric?.offer) opening ??= open();
			return opening;
		};
		await openWithSetting();
		const stopListening = opened.onReload(() => {
			openWithSetting()?.catch((error: unknown) =>
				log.error(`the tools for the fabric cannot be offered: ${messageOf(error)}`),
			);
		});
		return {
			get isOpen() {
				return offer?.isOpen === true;
			},
			overview: () => offer?.overview(),
			async close() {
				stopListening();
				await opening;
				await offer?.close();
			},
		};
	};
}

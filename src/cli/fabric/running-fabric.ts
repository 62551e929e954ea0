/* What the running hub of this folder says about its fabric, for `mctl fabric status` and `mctl doctor`. */
import type { FabricFacts, FabricLinkFacts } from '../../hub/fabric-overview.ts';
import type { CommandPlace } from '../command.ts';
import { askHubAt } from '../hub-client/ask-hub.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { formatCounted } from '../terminal/quantity.ts';

/** Null when no hub runs here, or it does not respond. */
export async function runningFabric(place: CommandPlace): Promise<FabricFacts | null> {
	const folder = hubFolderHere(place);
	const record = folder.running();
	if (record === undefined) return null;
	return askHubAt(folder, record).then(
		({ fabric }) => fabric,
		() => null, // what the servers say is shown all the same
	);
}

/** One line for each connection of the hub. */
export function linkLines(
	hub: FabricFacts | null,
): { readonly state: FabricLinkFacts['state']; readonly text: string }[] {
	const line = (who: string, link: FabricLinkFacts): { state: FabricLinkFacts['state']; text: string } => ({
		state: link.state,
		text: `${who} ${linkText(link)}`,
	});
	return [
		...(hub?.use ? [line('the running hub', hub.use.link)] : []),
		...(hub?.offer ? [line(`the worker ${hub.offer.name} of the running hub`, hub.offer.link)] : []),
	];
}

function linkText({ state, server, reason, losses }: FabricLinkFacts): string {
	if (state === 'down') return `is not connected: ${reason}`;
	if (state === 'suspect') return `is connected to ${server}, which is suspect: ${reason}`;
	const lost = `, and has lost ${formatCounted(losses, 'connection')} since its start`;
	return `is connected to ${server}${losses === 0 ? '' : lost}`;
}

/* What the definitions of the tools cost, read again when the lists of the hub change. */
import type { CostsReply } from '../../api/api-types.ts';
import { pathWith } from '../live/api-client.ts';
import { useDashboard } from '../live/dashboard.ts';
import { type Fetched, useFetched } from './fetched.ts';

export function useToolCosts(): Fetched<CostsReply> {
	const { value: version } = useDashboard().catalogueVersion;
	// The hub answers for its newest version; this one makes it another address.
	return useFetched<CostsReply>(
		version === undefined ? undefined : pathWith('/api/costs', { version }),
		true,
	);
}

/* The numbers of the overview: calls, fetched for a filter and again some seconds after new ones; and what the tool lists cost. */
import type { Signal } from '@preact/signals';
import type { OverviewReply } from '../../../api/api-calls.ts';
import type { CostsReply } from '../../../api/api-types.ts';
import { type Fetched, useCallFigures, useFetched } from '../../components/use-fetched.ts';
import { pathWith, type Query } from '../../live/api-client.ts';
import { minutesAgo } from '../../live/call-list.ts';
import { useDashboard } from '../../live/dashboard.ts';

/** @param minutes calls of the last so many minutes; 0 is all */
export function useOverview({ client, backend }: Query, minutes: number): Signal<OverviewReply | undefined> {
	const query = (): Query => ({ client, backend, since: minutesAgo(minutes) });
	return useCallFigures('/api/overview', query, [client, backend, minutes]);
}

/** The tokens of the tool definitions, read again when the lists of the hub change. */
export function useToolCosts(): Fetched<CostsReply> {
	const { value: version } = useDashboard().catalogueVersion;
	// The hub answers for its newest version; this one makes it another address.
	return useFetched<CostsReply>(
		version === undefined ? undefined : pathWith('/api/costs', { version }),
		true,
	);
}

/*
 * The path of a listed item: the ids of the hubs that it came through.
 *
 * Hubs may be connected in a circle: by bridges, URLs and the fabric, in any order and at
 * any time. A hub adds the id of the hub that answered to each item that it lists, and
 * leaves out the items that came through itself, as routers do with routes (path vector).
 * So each hub sees the tools of the others once, and no list grows. A gateway of others
 * may drop `_meta`; behind one, the bound of a list is what ends the growth.
 */
import type { Log } from '../log.ts';
import { HUB_PATH, metaOf } from '../protocol/meta.ts';

export interface ListedThrough {
	/** The id of this hub; undefined: nothing is left out. */
	readonly own: string | undefined;
	/** The hub that listed them; undefined when the server is none. */
	readonly from?: string | undefined;
	/** Their kind, for the log. */
	readonly kind: string;
	readonly log: Log;
}

/** The items that did not come through this hub, with the hub that listed them in their paths. */
export function withoutCircles<T extends object>(
	items: readonly T[],
	{ own, from, kind, log }: ListedThrough,
): readonly T[] {
	if (own === undefined) return items;
	const others = items.filter((item) => from !== own && !pathOf(item).includes(own));
	if (others.length < items.length)
		log.info(`${items.length - others.length} ${kind} are left out: they came through this hub itself`);
	if (from === undefined) return others;
	return others.map((item) => ({ ...item, _meta: { ...metaOf(item), [HUB_PATH]: [...pathOf(item), from] } }));
}

function pathOf(item: unknown): readonly unknown[] {
	const path = metaOf(item)[HUB_PATH];
	return Array.isArray(path) ? path : [];
}

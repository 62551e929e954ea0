/* The address of a view, in the fragment of the URL: `#/tools?name=echo`. */
import { percentDecoded } from '../../../printable.ts';
import { pathWith } from './api-client.ts';

export const viewNames = [
	'overview',
	'tools',
	'calls',
	'servers',
	'approvals',
	'library',
	'usage',
	'tasks',
	'results',
	'add',
	'hubs',
	'settings',
] as const;
export type ViewName = (typeof viewNames)[number];

export interface PageRoute {
	readonly view: ViewName;
	/** The server, the call or the tool that is open. */
	readonly id: string;
	readonly query: Readonly<Record<string, string>>;
}

/** Read an address; an unknown view is the overview. */
export function parseRoute(hash: string): PageRoute {
	const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?');
	const [name = '', ...rest] = path.split('/');
	const view = viewNames.find((each) => each === name) ?? 'overview';
	return { view, id: percentDecoded(rest.join('/')), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a view. Parameters without a value are left out. */
export function routeHref(
	view: ViewName,
	id = '',
	query: Readonly<Record<string, string | undefined>> = {},
): string {
	return pathWith(`#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}`, query);
}

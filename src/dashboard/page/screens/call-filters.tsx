/* The filters of the calls. They are part of the address, so a filtered list can be kept as a bookmark. */
import type { JSX } from 'preact';
import { useDashboard } from '../live/dashboard.ts';
import { routeHref } from '../live/route.ts';
import { attributeText } from '../text/visible-text.tsx';

const OUTCOMES = ['running', 'ok', 'failures', 'failed', 'error', 'canceled'];
const TIMES: readonly (readonly [string, string])[] = [
	['', 'any time'],
	['5', 'last 5 min'],
	['60', 'last hour'],
	['1440', 'last day'],
];

export function CallFilters(): JSX.Element {
	const { router, state } = useDashboard();
	const { id, query } = router.route.value;
	const set = (name: string, value: string): void =>
		router.replace(routeHref('calls', id, { ...query, [name]: value }));
	const clients = [...new Set(state.value?.clients.map(({ name }) => name))];
	const servers = state.value?.backends.map(({ id }) => id) ?? [];
	return (
		<div class="filters" role="search" aria-label="Filter calls">
			<input
				type="search"
				aria-label="Tool"
				placeholder="tool  /"
				value={query['tool'] ?? ''}
				onInput={(event) => set('tool', event.currentTarget.value)}
			/>
			<input
				type="text"
				aria-label="Client"
				placeholder="client"
				list="known-clients"
				value={query['client'] ?? ''}
				onInput={(event) => set('client', event.currentTarget.value)}
			/>
			<datalist id="known-clients">
				{clients.map((name) => (
					<option value={attributeText(name)} />
				))}
			</datalist>
			<select
				aria-label="Server"
				value={query['backend'] ?? ''}
				onChange={(event) => set('backend', event.currentTarget.value)}
			>
				<option value="">any server</option>
				{servers.map((id) => (
					<option value={id}>{attributeText(id)}</option>
				))}
			</select>
			<select
				aria-label="Outcome"
				value={query['outcome'] ?? ''}
				onChange={(event) => set('outcome', event.currentTarget.value)}
			>
				<option value="">any outcome</option>
				{OUTCOMES.map((outcome) => (
					<option value={outcome}>{outcome}</option>
				))}
			</select>
			<select
				aria-label="Time"
				value={query['minutes'] ?? ''}
				onChange={(event) => set('minutes', event.currentTarget.value)}
			>
				{TIMES.map(([minutes, label]) => (
					<option value={minutes}>{label}</option>
				))}
			</select>
		</div>
	);
}

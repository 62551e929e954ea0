/* The filters of the calls. They are part of the address, so a filtered list can be a bookmark. */
import type { JSX } from 'preact';
import { type Options, plainOptions, Select } from '../../components/panel.tsx';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { attributeText } from '../../text/visible-text.tsx';

const OUTCOMES: Options<string> = [
	['', 'any outcome'],
	...plainOptions('running', 'ok', 'failures', 'failed', 'error', 'canceled'),
];
const TIMES: Options<string> = [
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
	const backends = state.value?.backends ?? [];
	const servers = [['', 'any server'] as const, ...plainOptions(...backends.map((each) => each.id))];
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
			{[
				['Server', 'backend', servers] as const,
				['Outcome', 'outcome', OUTCOMES] as const,
				['Time', 'minutes', TIMES] as const,
			].map(([label, name, options]) => (
				<Select
					label={label}
					options={options}
					value={query[name] ?? ''}
					onPick={(value) => set(name, value)}
				/>
			))}
		</div>
	);
}

/* The filters of the calls. They are part of the address, so a filtered list can be a bookmark. */
import type { JSX } from 'preact';
import { useDashboard } from '../../live/dashboard.ts';
import { routeHref } from '../../live/route.ts';
import { attributeText } from '../../text/visible-text.tsx';

const OUTCOMES = [
	['', 'any outcome'],
	...['running', 'ok', 'failures', 'failed', 'error', 'canceled'].map((each) => [each, each]),
];
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
	const servers = [['', 'any server'], ...(state.value?.backends ?? []).map(({ id }) => [id, id])] as const;
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
			<Select
				name="Server"
				value={query['backend']}
				options={servers}
				onPick={(value) => set('backend', value)}
			/>
			<Select
				name="Outcome"
				value={query['outcome']}
				options={OUTCOMES}
				onPick={(value) => set('outcome', value)}
			/>
			<Select
				name="Time"
				value={query['minutes']}
				options={TIMES}
				onPick={(value) => set('minutes', value)}
			/>
		</div>
	);
}

interface SelectProps {
	readonly name: string;
	readonly value: string | undefined;
	/** Value and text. */
	readonly options: readonly (readonly string[])[];
	readonly onPick: (value: string) => void;
}

function Select({ name, value = '', options, onPick }: SelectProps): JSX.Element {
	return (
		<select aria-label={name} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
			{options.map(([each = '', text = '']) => (
				<option value={each}>{attributeText(text)}</option>
			))}
		</select>
	);
}

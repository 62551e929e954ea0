/* Add a server of a registry: search, look at what would run, give the values that it needs, add. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { isObject } from '../../../../wire/json.ts';
import type { ApiObject, ApiValue } from '../../../api/api-types.ts';
import { CommandButton, CommandOutput, useCommandRun } from '../../call/command-panel.tsx';
import { Fact } from '../../components/panel.tsx';
import { objectsIn, textIn } from '../../live/json-fields.ts';
import { routeHref } from '../../live/route.ts';
import { visibleLine, visibleText } from '../../text/visible-text.tsx';
import { TextField } from './text-field.tsx';

/** The part of a name before the one of a reference server. */
const REFERENCE = 'reference/';

export function RegistryForm(): JSX.Element {
	const run = useCommandRun();
	const terms = useSignal('');
	const chosen = useSignal<string | undefined>(undefined);
	const query = terms.value.trim();
	const found = objectsIn(run.result.value?.['servers']);
	if (chosen.value !== undefined)
		return <ListedPlan key={chosen.value} name={chosen.value} onBack={() => (chosen.value = undefined)} />;
	return (
		<form class="fields" onSubmit={(event) => event.preventDefault()}>
			<TextField label="Words of its name" text={terms} about="As in files, github, notes." />
			<CommandButton
				run={run}
				command={query === '' || query.startsWith('-') ? undefined : { kind: 'search', query }}
				label="Search"
			/>
			<CommandOutput run={run}>
				{found.length === 0 && <p class="dim">No server has one of these words in its name.</p>}
				<ul class="found">
					{found.slice(0, 50).map((server) => (
						<li>
							<button type="button" onClick={() => (chosen.value = shortName(textIn(server, 'name')))}>
								{visibleLine(shortName(textIn(server, 'name')))}
							</button>{' '}
							<span class="dim">
								{visibleLine(`${textIn(server, 'version')} · ${textIn(server, 'registry')}`)}
							</span>
							<p>{visibleText(textIn(server, 'description'))}</p>
						</li>
					))}
				</ul>
			</CommandOutput>
		</form>
	);
}

/** The program that would run, its origin, and the values that it needs. */
function ListedPlan({ name, onBack }: { name: string; onBack: () => void }): JSX.Element {
	const look = useCommandRun({ kind: 'add-listed', name, values: [], isDryRun: true });
	const run = useCommandRun();
	const plan = look.result.value;
	const required = objectsIn(plan?.['values']);
	const values = useMemo(() => new Map(required.map((value) => [textIn(value, 'name'), signal('')])), [plan]);
	const given = [...values]
		.filter(([, text]) => text.value !== '')
		.map(([key, text]) => `${key}=${text.value}`);
	const isMissing = required.some(
		(value) => value['isRequired'] === true && values.get(textIn(value, 'name'))?.value === '',
	);
	return (
		<div class="fields">
			<p>
				<button type="button" class="quiet" onClick={onBack}>
					← Other servers
				</button>
			</p>
			<CommandOutput run={look}>
				<PlanFacts plan={plan} />
			</CommandOutput>
			{required.map((value) => (
				<LaunchInputField value={value} text={values.get(textIn(value, 'name'))} />
			))}
			{plan && (
				<CommandButton
					run={run}
					command={isMissing ? undefined : { kind: 'add-listed', name, values: given, isDryRun: false }}
					label="Add"
					isPrimary
				/>
			)}
			<CommandOutput run={run}>
				<p class="state good">
					<a href={routeHref('servers', textIn(run.result.value, 'name'))}>
						{visibleLine(`${textIn(run.result.value, 'name')} is added`)}
					</a>
				</p>
			</CommandOutput>
		</div>
	);
}

function PlanFacts({ plan }: { plan: ApiObject | undefined }): JSX.Element {
	return (
		<dl class="facts">
			<Fact name="runs">
				<code>{visibleText(runText(plan?.['entry']))}</code>
			</Fact>
			<Fact name="writes">{visibleLine(textIn(plan, 'file'))}</Fact>
		</dl>
	);
}

function LaunchInputField({
	value,
	text,
}: {
	value: ApiObject;
	text: Signal<string> | undefined;
}): JSX.Element | null {
	if (!text) return null;
	const secret =
		value['isSecret'] === true ? ' A secret: write ${NAME}, and set NAME where the hub is started.' : '';
	const about = `${textIn(value, 'description')}${secret}`;
	const label = `${textIn(value, 'name')}${value['isRequired'] === true ? ' *' : ''}`;
	return <TextField label={label} text={text} about={about || undefined} />;
}

function runText(entry: ApiValue | undefined): string {
	if (!isObject(entry)) return '';
	const { command, args, url } = entry;
	if (typeof url === 'string') return url;
	return [command, ...(Array.isArray(args) ? args : [])].map(String).join(' ');
}

function shortName(name: string): string {
	return name.startsWith(REFERENCE) ? name.slice(REFERENCE.length) : name;
}

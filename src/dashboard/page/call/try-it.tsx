/* Try a tool: a form of its schema, or JSON; the call, live; the result; the same as a command and as JSON-RPC. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { CallRequest } from '../../api/api-calls.ts';
import { CopyButton } from '../components/command-text.tsx';
import { Panel, Toggle } from '../components/panel.tsx';
import { type FormField, formOf, type JsonSchema } from '../form/form-field.ts';
import { initialDraft, problemsOf, Unparsed } from '../form/form-value.ts';
import { draftForm, FieldRow, SchemaForm } from '../form/schema-form.tsx';
import { useDashboard } from '../live/dashboard.ts';
import { visibleLine } from '../text/visible-text.tsx';
import { CallProgressView } from './call-progress.tsx';
import { ToolResultView } from './tool-result.tsx';

interface TryItProps {
	/** The schema of the input. */
	readonly schema: JsonSchema;
	readonly method: 'tools/call' | 'prompts/get';
	readonly name: string;
	/** Does the same in a terminal with this input. */
	readonly command: (input: unknown) => string;
}

export function TryIt(props: TryItProps): JSX.Element {
	const { schema, method, name } = props;
	const { runs } = useDashboard();
	const field = useMemo(() => formOf(schema), [schema]);
	const key = `${method} ${name}`;
	const run = useMemo(() => runs.run(key), [key]);
	// Another schema is another form.
	const form = useMemo(() => `${key} ${JSON.stringify(schema)}`, [key, schema]);
	const draft = useMemo(() => runs.draft<unknown>(form, initialDraft(field) ?? {}), [form]);
	const isJson = useMemo(() => runs.draft(`${form} as JSON`, field.kind === 'json'), [form]);
	const isChecked = useSignal(false);
	const box = useRef<HTMLFormElement>(null);
	const problems = isJson.value ? jsonProblems(draft.value) : problemsOf(field, draft.value);
	const submit = (event: Event): void => {
		event.preventDefault();
		isChecked.value = true;
		if (problems.size > 0) return focusFirstProblem(box.current);
		// A draft without problems is the arguments; those of a prompt are strings.
		const body = { name, arguments: draft.peek() } as CallRequest;
		void runs.start(run, method === 'tools/call' ? '/api/call' : '/api/prompt', body);
	};
	const state = draftForm(draft, isChecked.value && problems);
	const isRunning = run.status.value === 'running';
	return (
		<Panel title="Try it" aside={<FormSwitch isJson={isJson} canSwitch={field.kind === 'group'} />}>
			<form class="try" ref={box} noValidate onSubmit={submit} onKeyDown={submitOnControlEnter}>
				{isJson.value ? (
					<FieldRow field={jsonField(field)} path={[]} form={state} />
				) : (
					<SchemaForm field={field} form={state} />
				)}
				<p class="actions">
					<button type="submit" class="primary" disabled={isRunning}>
						{method === 'tools/call' ? 'Call' : 'Get prompt'}
					</button>
					{isChecked.value && <ProblemCount count={problems.size} />}
				</p>
				<CopyAs {...props} draft={draft.value} />
			</form>
			<CallProgressView run={run} />
			{run.result.value && <ToolResultView key={run.number.value} result={run.result.value} />}
		</Panel>
	);
}

function ProblemCount({ count }: { count: number }): JSX.Element | null {
	if (count === 0) return null;
	return <span class="problem">{count === 1 ? '1 field needs' : `${count} fields need`} a change.</span>;
}

function FormSwitch({
	isJson,
	canSwitch,
}: {
	isJson: { value: boolean };
	canSwitch: boolean;
}): JSX.Element | null {
	if (!canSwitch) return null;
	return (
		<Toggle isOn={isJson.value} onClick={() => (isJson.value = !isJson.value)}>
			JSON
		</Toggle>
	);
}

function CopyAs({ name, method, command, draft }: TryItProps & { draft: unknown }): JSX.Element {
	const line = command(draft);
	const request = { jsonrpc: '2.0', id: 1, method, params: { name, arguments: draft } };
	return (
		<p class="copy-as">
			<code class="preview">{visibleLine(line)}</code>
			<CopyButton label="Copy as command" text={line} />
			<CopyButton label="Copy as JSON-RPC" text={() => JSON.stringify(request)} />
		</p>
	);
}

function jsonField(field: FormField): FormField {
	return { ...field, kind: 'json', title: 'Arguments as JSON', description: '' };
}

function jsonProblems(draft: unknown): Map<string, string> {
	if (draft instanceof Unparsed) return new Map([['', 'This is not valid JSON.']]);
	const isObject = typeof draft === 'object' && draft !== null && !Array.isArray(draft);
	return new Map(isObject ? [] : [['', 'Arguments are a JSON object.']]);
}

/** After the problems are drawn. */
function focusFirstProblem(box: HTMLFormElement | null): void {
	requestAnimationFrame(() => box?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

function submitOnControlEnter(event: KeyboardEvent): void {
	if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
	event.preventDefault();
	if (event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit();
}

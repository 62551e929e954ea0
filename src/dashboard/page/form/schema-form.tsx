/* A form made from a JSON Schema. The owner keeps the draft and decides when problems are shown. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { attributeText, visibleLine, visibleText } from '../text/visible-text.tsx';
import { FieldInput } from './field-input.tsx';
import { type FormField, variantTitle } from './form-field.ts';
import {
	initialDraft,
	type Path,
	pointerOf,
	sizeProblem,
	valueAt,
	variantOf,
	withValue,
} from './form-value.ts';

/** The props of every field of a form. */
export interface FormContext {
	readonly draft: unknown;
	readonly problems: ReadonlyMap<string, string>;
	readonly change: (path: Path, value: unknown) => void;
}

/** The props of the fields of a draft. @param problems those that are shown: none before the user tried to send it */
export function draftForm(
	draft: Signal<unknown>,
	problems: ReadonlyMap<string, string> | false,
): FormContext {
	return {
		draft: draft.value,
		problems: problems || new Map(),
		change: (path, value) => {
			draft.value = withValue(draft.peek(), path, value) ?? {};
		},
	};
}

export function SchemaForm({ field, form }: { field: FormField; form: FormContext }): JSX.Element {
	if (field.kind !== 'group') return <FieldRow field={field} path={[]} form={form} />;
	if (field.fields.length === 0) return <p class="dim">This takes no input.</p>;
	return <div class="fields">{fieldRows({ field, path: [], form })}</div>;
}

/** The fields of a group. */
function fieldRows({ field, path, form }: FieldProps): JSX.Element[] {
	return field.fields.map((each) => (
		<FieldRow key={each.name} field={each} path={[...path, each.name]} form={form} />
	));
}

export interface FieldProps {
	readonly field: FormField;
	readonly path: Path;
	readonly form: FormContext;
}

export function FieldRow(props: FieldProps): JSX.Element {
	const { field, path, form } = props;
	const id = useId();
	const problem = form.problems.get(pointerOf(path));
	if (field.kind === 'group') return <GroupRow {...props} />;
	if (field.kind === 'list') return <ListRow {...props} />;
	if (field.kind === 'variants') return <VariantsRow {...props} />;
	const described = [field.description && `${id}-about`, problem && `${id}-problem`]
		.filter(Boolean)
		.join(' ');
	return (
		<div class={`field ${field.kind}${problem ? ' wrong' : ''}`}>
			<label for={id}>
				<FieldTitle field={field} path={path} />
			</label>
			<FieldInput
				{...props}
				attributes={{
					id,
					name: pointerOf(path),
					'aria-describedby': described || undefined,
					'aria-invalid': problem !== undefined,
					'aria-required': field.isRequired,
				}}
			/>
			<FieldNotes id={id} field={field} problem={problem} />
		</div>
	);
}

function GroupRow({ field, path, form }: FieldProps): JSX.Element {
	const isSet = valueAt(form.draft, path) !== undefined;
	return (
		<fieldset>
			<legend>
				<FieldTitle field={field} path={path} />
				{!field.isRequired && (
					<button
						type="button"
						class="quiet"
						onClick={() =>
							form.change(path, isSet ? undefined : (initialDraft({ ...field, isRequired: true }) ?? {}))
						}
					>
						{isSet ? 'Remove' : 'Add'}
					</button>
				)}
			</legend>
			{field.description && <p class="about">{visibleText(field.description)}</p>}
			{(isSet || field.isRequired) && fieldRows({ field, path, form })}
		</fieldset>
	);
}

/** One of several forms. What was entered stays while it fits; another choice begins anew. */
function VariantsRow({ field, path, form }: FieldProps): JSX.Element {
	const { variants = [] } = field;
	const id = useId();
	const picked = useSignal<number | undefined>(undefined);
	const value = valueAt(form.draft, path);
	const at = picked.value ?? variantOf(field, value);
	const variant = variants[at];
	const isSet = value !== undefined || field.isRequired;
	const pick = (index: number): void => {
		picked.value = index;
		const next = variants[index];
		form.change(path, next && index >= 0 ? newValue(next) : undefined);
	};
	return (
		<fieldset>
			<legend>
				<label for={id}>
					<FieldTitle field={field} path={path} />
				</label>
			</legend>
			<FieldNotes id={id} field={field} problem={form.problems.get(pointerOf(path))} />
			<select
				id={id}
				value={String(isSet ? at : -1)}
				onChange={(event) => pick(Number(event.currentTarget.value))}
			>
				{!field.isRequired && <option value="-1">not set</option>}
				{variants.map((each, index) => (
					<option value={String(index)}>{attributeText(variantTitle(each, index))}</option>
				))}
			</select>
			{isSet && at >= 0 && variant && (
				<div class="variant" key={at}>
					{variant.kind === 'group' ? (
						fieldRows({ field: variant, path, form })
					) : (
						<FieldRow field={{ ...variant, title: 'Value' }} path={path} form={form} />
					)}
				</div>
			)}
		</fieldset>
	);
}

function ListRow({ field, path, form }: FieldProps): JSX.Element {
	const value = valueAt(form.draft, path);
	const items: readonly unknown[] = Array.isArray(value) ? value : [];
	const { item } = field;
	const problem = form.problems.get(pointerOf(path));
	if (!item) return <p class="dim">This list cannot be edited.</p>;
	const add = (): void => form.change([...path, items.length], newValue(item));
	return (
		<fieldset>
			<legend>
				<FieldTitle field={field} path={path} />
				<button type="button" class="quiet" onClick={add}>
					Add
				</button>
			</legend>
			<FieldNotes id={pointerOf(path)} field={field} problem={problem} />
			{items.length === 0 && !problem && (
				<p class="about">{sizeProblem(field.schema, 0, 'item') ?? 'No item.'}</p>
			)}
			{items.map((_, at) => (
				<div class="list-item">
					<FieldRow field={item} path={[...path, at]} form={form} />
					<button
						type="button"
						class="quiet"
						aria-label={`Remove item ${at + 1}`}
						onClick={() => form.change([...path, at], undefined)}
					>
						×
					</button>
				</div>
			))}
		</fieldset>
	);
}

function FieldTitle({ field, path }: { field: FormField; path: Path }): JSX.Element {
	const title =
		field.title || (typeof path.at(-1) === 'number' ? `Item ${Number(path.at(-1)) + 1}` : 'Input');
	return (
		<span class="field-title">
			{visibleLine(title)}
			{field.title !== field.name && field.name !== '' && <code class="dim">{visibleLine(field.name)}</code>}
			{field.isRequired && field.name !== '' && (
				<abbr class="required" title="required">
					*
				</abbr>
			)}
		</span>
	);
}

interface FieldNotesProps {
	readonly id: string;
	readonly field: FormField;
	readonly problem: ComponentChildren;
}

function FieldNotes({ id, field, problem }: FieldNotesProps): JSX.Element {
	return (
		<>
			{field.description && (
				<p class="about" id={`${id}-about`}>
					{visibleText(field.description)}
				</p>
			)}
			{problem && (
				<p class="problem" id={`${id}-problem`}>
					{problem}
				</p>
			)}
		</>
	);
}

/** The value of a new item, or of an alternative that was chosen. */
function newValue(field: FormField): unknown {
	const value = initialDraft(field);
	if (value !== undefined) return value;
	const [first] = field.variants ?? [];
	if (first) return newValue(first);
	return field.kind === 'choice' ? field.choices[0]?.value : '';
}

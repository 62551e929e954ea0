/* A JSON Schema as a reader wants it: a line per field, nested ones indented; the schema itself on demand. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../../components/command-text.tsx';
import { JsonTree } from '../../components/json-tree.tsx';
import { Toggle } from '../../components/panel.tsx';
import { type FormField, formOf, type JsonSchema, variantTitle } from '../../form/form-field.ts';
import { CHOICES_LIMIT } from '../../page-limits.ts';
import { visibleLine, visibleText } from '../../text/visible-text.tsx';

export function SchemaTable({ schema }: { schema: JsonSchema }): JSX.Element {
	const field = useMemo(() => formOf(schema), [schema]);
	const isRaw = useSignal(false);
	return (
		<div class="schema">
			{isRaw.value ? (
				<JsonTree value={schema} open={4} />
			) : (
				<ul>
					{field.kind === 'group' ? (
						field.fields.map((each) => <SchemaLine field={each} />)
					) : (
						<SchemaLine field={field} />
					)}
					{field.kind === 'group' && field.fields.length === 0 && <li class="dim">nothing</li>}
				</ul>
			)}
			<p class="actions">
				<Toggle isOn={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
					JSON Schema
				</Toggle>
				<CopyButton label="Copy" text={() => JSON.stringify(schema, null, 2)} what="the JSON Schema" />
			</p>
		</div>
	);
}

function SchemaLine({ field }: { field: FormField }): JSX.Element {
	const nested = nestedFields(field);
	const given = field.schema['default'];
	return (
		<li>
			<code class="schema-name">{visibleLine(field.name || 'value')}</code>{' '}
			<span class="type">{visibleLine(typeName(field))}</span>
			{field.isRequired && field.name !== '' && <span class="tag">required</span>}
			{given !== undefined && <span class="dim"> default {visibleLine(JSON.stringify(given))}</span>}
			<Bounds schema={field.schema} />
			{field.description && <p class="about">{visibleText(field.description)}</p>}
			{nested.length > 0 && (
				<ul>
					{nested.map((each) => (
						<SchemaLine field={each} />
					))}
				</ul>
			)}
		</li>
	);
}

/** The fields of an object, or of the objects of a list; alternatives that have fields, each by its title. */
function nestedFields(field: FormField): readonly FormField[] {
	const { variants } = field;
	if (variants?.some(({ fields }) => fields.length > 0))
		return variants.map((each, at) => ({ ...each, name: variantTitle(each, at), isRequired: false }));
	return field.kind === 'list' && field.item?.kind === 'group' ? field.item.fields : field.fields;
}

const BOUNDS = [
	'format',
	'minimum',
	'maximum',
	'exclusiveMinimum',
	'exclusiveMaximum',
	'minLength',
	'maxLength',
	'pattern',
	'minItems',
	'maxItems',
] as const;

function Bounds({ schema }: { schema: JsonSchema }): JSX.Element | null {
	const shown = BOUNDS.filter((key) => schema[key] !== undefined).map(
		(key) => `${key} ${String(schema[key])}`,
	);
	if (shown.length === 0) return null;
	return <span class="dim"> {visibleLine(shown.join(', '))}</span>;
}

function typeName(field: FormField): string {
	if (field.kind === 'choice' || field.kind === 'choices') {
		const names = field.choices.map(({ value }) => JSON.stringify(value));
		const more = names.length > CHOICES_LIMIT ? ` | … ${names.length - CHOICES_LIMIT} more` : '';
		const union = `${names.slice(0, CHOICES_LIMIT).join(' | ')}${more}`;
		return field.kind === 'choices' ? `list of ${union}` : union;
	}
	if (field.kind === 'variants') return (field.variants ?? []).map(typeName).join(' or ');
	if (field.kind === 'list') return `list of ${field.item ? typeName(field.item) : 'values'}`;
	if (field.kind === 'group') return 'object';
	if (field.kind === 'json') return 'JSON';
	if (field.kind === 'text') return 'string';
	return field.kind === 'number' && field.schema['type'] === 'integer' ? 'integer' : field.kind;
}

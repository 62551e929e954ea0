/* `overrides` of a server: other names and descriptions for its tools, and values that the client does not choose. */

import type { SecretText } from '../../secrets/secret-text.ts';
import type { JsonValue } from '../../wire/json.ts';
import type { Field } from '../field.ts';
import { checked, flag, key, listOf, mapOf, mapped, object, type Shape, text } from '../key.ts';

const annotationKeys = {
	title: key(text, 'a title'),
	readOnlyHint: key(flag, 'whether it only reads'),
	destructiveHint: key(flag, 'whether it may destroy something'),
	idempotentHint: key(flag, 'whether a second call changes nothing more'),
	openWorldHint: key(flag, 'whether it reaches beyond this machine'),
};

type Value = NonNullable<JsonValue>;

/** Any JSON value but null, with variables. */
const jsonValue: Shape<Value> = { read: valueOf, schema: {} };

/** The same; a text may have secret references. */
const fixedValue: Shape<Value | SecretText> = {
	read: (field) => field.secretText() ?? valueOf(field),
	schema: {},
};

const values: Shape<readonly Value[]> = {
	...checked(listOf(jsonValue), ({ length }) => length > 0, 'at least one value'),
	schema: { type: 'array', minItems: 1 },
};

export const parameterKeys = {
	description: key(text, 'in place of its own'),
	default: key(jsonValue, 'sent when the client sends none'),
	hidden: key(flag, 'leave it out of the schema; needs a `value`'),
	value: key(
		fixedValue,
		'sent in every call, whatever the client sends; may have variables and secret references',
		{ isSecret: true },
	),
	enum: key(values, 'the only values that a client may send; of its own values, if it has some'),
};

const parameter = mapped(object(parameterKeys), (read, field) => {
	if (read.hidden === true && read.value === undefined && !field.at('value').isPresent)
		return field.at('value').report('a value, because the parameter is hidden');
	if (read.value !== undefined && read.hidden !== true)
		return field.at('hidden').report('true, because the parameter has a fixed value');
	return read;
});

export const toolOverrideKeys = {
	title: key(text, 'in place of its own'),
	description: key(text, 'in place of its own'),
	annotations: key(object(annotationKeys), 'in place of those of the same name'),
	parameters: key(mapOf(parameter), 'by the name of the parameter'),
};

/** Keyed by the names that the server gives its tools. */
export const toolOverrides = mapOf(object(toolOverrideKeys));

function valueOf(field: Field): Value | undefined {
	// A value of a configuration file is JSON.
	return (field.json() as JsonValue | undefined) ?? undefined;
}

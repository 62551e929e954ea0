/*
 * The TypeScript type that a schema describes, so that a handler's input is typed
 * by the schema beside it. Works for JSON Schema literals and for Standard Schema.
 * Keywords that types cannot express (`pattern`, `minimum`, `if`) are checked when a
 * value comes and do not narrow the type; an unknown schema gives `unknown`.
 */
import type { StandardSchema } from './standard-schema.ts';

/** The type of the values that a schema accepts, after the schema's own transformations. */
export type InferSchema<Schema> =
	Schema extends StandardSchema<infer _Input, infer Output> ? Output : FromJsonSchema<Schema>;

/** The type of a tool's input: an open object without a schema, or with a schema that infers nothing. */
export type InferInput<Schema> = unknown extends Schema
	? Record<string, unknown>
	: unknown extends InferSchema<Schema>
		? Record<string, unknown>
		: InferSchema<Schema>;

type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
	? Value
	: Schema extends { readonly enum: readonly (infer Value)[] }
		? Value
		: Schema extends { readonly anyOf: readonly (infer Choice)[] }
			? FromJsonSchema<Choice>
			: Schema extends { readonly oneOf: readonly (infer Choice)[] }
				? FromJsonSchema<Choice>
				: Schema extends { readonly type: infer Name }
					? FromTypeName<Name, Schema>
					: unknown;

type FromTypeName<Name, Schema> = Name extends readonly (infer One)[]
	? FromTypeName<One, Schema>
	: Name extends 'string'
		? string
		: Name extends 'number' | 'integer'
			? number
			: Name extends 'boolean'
				? boolean
				: Name extends 'null'
					? null
					: Name extends 'array'
						? FromItems<Schema>
						: Name extends 'object'
							? FromProperties<Schema>
							: unknown;

type FromItems<Schema> = Schema extends { readonly items: infer Item } ? FromJsonSchema<Item>[] : unknown[];

type FromProperties<Schema> = Schema extends { readonly properties: infer Properties }
	? Flat<
			{
				-readonly [Key in keyof Properties as Key extends RequiredKey<Schema> ? Key : never]: FromJsonSchema<
					Properties[Key]
				>;
			} & {
				-readonly [Key in keyof Properties as Key extends RequiredKey<Schema> ? never : Key]?: FromJsonSchema<
					Properties[Key]
				>;
			}
		>
	: Record<string, unknown>;

type RequiredKey<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

/** An intersection shown as one object. */
type Flat<T> = { [Key in keyof T]: T[Key] } & {};

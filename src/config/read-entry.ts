/* Read one entry of a file. An entry with a problem is skipped as a whole. */
import type { Field, FieldSource } from './field.ts';
import type { ConfigProblem } from './problem.ts';

/** The entry, or none when reading it reported a problem. */
export function skipInvalid<T>(source: FieldSource, read: () => T | undefined): T[] {
	const before = source.problems.length;
	const entry = read();
	return entry === undefined || source.problems.length > before ? [] : [entry];
}

interface EntryField {
	readonly section: NonNullable<ConfigProblem['entry']>['section'];
	/** Default: its `id`. */
	readonly name?: string;
	readonly field: Field;
}

/** The same for a server or plugin: its problems get its name, and one that is disabled needs no variables. */
export function readEntry<T>(
	{ problems, unset = new Set() }: FieldSource,
	{ section, field, name = String(field.at('id').value) }: EntryField,
	read: () => T | undefined,
): T[] {
	const before = { count: problems.length, unset: new Set(unset) };
	const found = read();
	const own = problems.splice(before.count);
	const isOff = field.at('disabled').value === true || field.at('enabled').value === false;
	const needed = isOff ? own.filter((problem) => problem.unset === undefined) : own;
	if (isOff) for (const variable of unset) if (!before.unset.has(variable)) unset.delete(variable);
	problems.push(...needed.map((problem) => ({ ...problem, entry: { section, name } })));
	return found === undefined || needed.length > 0 ? [] : [found];
}

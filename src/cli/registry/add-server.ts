/*
 * Add a server whose entry was planned: show what will run, from whom and with what
 * rights, ask, and write the entry and its pin.
 */
import { readServerFile, type ServerFile, serverFiles } from '../../config/edit/editable-files.ts';
import { printableLine, quoted } from '../../printable.ts';
import type { BundleSigner } from '../../registry/bundle-signature.ts';
import type { LaunchPlan } from '../../registry/launch-plan.ts';
import type { GivenValues } from '../../registry/launch-slots.ts';
import { possibleReferences } from '../../secrets/store-secret.ts';
import type { PinnedPackage } from '../../trust/pins/lock-file.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { PinStore } from '../../trust/pins/pin-store.ts';
import { type Command, type CommandInput, type CommandPlace, usageError } from '../command.ts';
import { refuseTaken, reportEdit, scopeOf, withEntry, writeEdit } from '../edit/edit-servers.ts';
import { learnHere } from '../learn/learn.ts';
import { confirm } from '../terminal/ask-line.ts';
import { askMissing, givenValues, plainValue, storedValues } from './entry-values.ts';
import { endUnfinished, removeLeftovers, withRecord } from './unfinished-change.ts';

type Usage = Pick<Command, 'usage'>;

/** The entry that is about to be added. */
export interface Addition {
	/** Its name in the configuration. */
	readonly name: string;
	readonly plan: Pick<LaunchPlan, 'inputs' | 'entry'>;
	/** The entry for the lock file. */
	readonly pin: PinnedPackage;
	/** The rows that are shown before the prompt: a name and a text each. */
	readonly facts: readonly (readonly [string, string])[];
	/** Its signer, when it is a bundle; for `--json`. */
	readonly signer?: BundleSigner | undefined;
	/** Files that are unpacked after the values are known and before the entry is written. */
	readonly bundle?: { readonly folder: string; unpack(): Promise<void> } | undefined;
}

/** Show it, ask, and write it. Nothing is left behind when something fails on the way. */
export async function addServer(addition: Addition, input: CommandInput, command: Usage): Promise<void> {
	const { name, plan, pin, bundle } = addition;
	const { flags, out, cwd, environment, signal } = input;
	await endUnfinished(environment);
	const [file] = serverFiles(scopeOf(input, command) ?? 'project', cwd, environment);
	if (file === undefined) throw usageError(command, 'there is no file for this scope');
	refuseTaken(name, file);
	const given = givenValues(plan.inputs, input, command);
	if (flags['dry-run'] === true) return showPlan({ ...addition, values: given, file }, input);
	const values = await askMissing(plan.inputs, given, input);
	showFacts({ ...addition, values, file }, input);
	await confirm('Add it?', input);
	const store = new PinStore(pinPlace(file.path, environment));
	store.packages(); // a damaged lock file stops it before anything is written
	const owner = [file.path, name];
	const secrets = plan.inputs
		.filter(({ isSecret }) => isSecret)
		.flatMap(({ key }) => possibleReferences([...owner, key], environment));
	const change = { file: file.path, name, bundle: bundle?.folder ?? null, secrets };
	await withRecord(change, environment, async () => {
		// Others may have added one meanwhile, and what is stored for its name belongs to that.
		refuseTaken(name, readServerFile(file.scope, file.path));
		try {
			await bundle?.unpack();
			const stored = await storedValues(plan.inputs, values, { owner, cwd, environment, signal });
			signal.throwIfAborted();
			await store.setPackage(name, pin);
			signal.throwIfAborted();
			// The entry is last: what it names is there when a hub reads it.
			await writeEdit(input, file, withEntry(name, plan.entry(stored)));
		} catch (error) {
			await removeLeftovers(change, environment);
			throw error;
		}
	});
	reportEdit(input, { name, file, change: 'added', wasChanged: true }, [
		`${out.style('green', '+')} ${name} in ${file.path}`,
		'\nNext: mctl list servers --check',
	]);
	await learnHere(input, (entry) => entry.name === name);
}

/** An addition with the values that are known, and the file that it goes to. */
interface ShownAddition extends Addition {
	readonly values: GivenValues;
	readonly file: ServerFile;
}

/** The entry as it is shown: secrets and what is missing are their names. */
function shownEntry({ plan, values }: ShownAddition, place: CommandPlace): Record<string, unknown> {
	const shown = plan.inputs.flatMap(({ key, isSecret, isRequired, format }): [string, string[]][] => {
		const given = values.get(key);
		if (given === undefined) return isRequired ? [[key, [`<${key}>`]]] : [];
		return [[key, isSecret ? ['<secret>'] : given.map((text) => plainValue(text, format, place))]];
	});
	return plan.entry(new Map(shown));
}

function showPlan(shown: ShownAddition, input: CommandInput): void {
	const { name, plan, pin, signer, file } = shown;
	if (input.flags['json'] !== true) {
		showFacts(shown, input);
		input.out.info('Nothing was written (--dry-run).');
		return;
	}
	const values = plan.inputs.map(
		({ key, description, isRequired, isSecret, format, choices, default: fallback }) => ({
			name: key,
			description: description ?? null,
			isRequired,
			isSecret,
			format,
			default: fallback ?? null,
			choices,
		}),
	);
	input.out.json({
		schema: 'orchestra.add-plan/1',
		name,
		file: file.path,
		entry: shownEntry(shown, input),
		package: pin,
		signer: signer ?? null,
		values,
	});
}

function showFacts(shown: ShownAddition, input: CommandInput): void {
	const { facts, plan, values, file } = shown;
	const optional = plan.inputs.filter(({ key, isRequired }) => !isRequired && !values.has(key));
	const rows = [
		...facts,
		...runFacts(shownEntry(shown, input)),
		...(optional.length > 0 ? [['optional', optionalText(optional)] as const] : []),
		['writes', file.path] as const,
	];
	const { out } = input;
	for (const [title, text] of rows)
		out.info(`${out.stderrStyle('dim', title.padEnd(8))} ${printableLine(text)}`);
}

function optionalText(inputs: LaunchPlan['inputs']): string {
	const names = inputs.map(({ key, default: fallback }) =>
		fallback === undefined ? key : `${key} (${fallback})`,
	);
	return `${names.join(', ')}: --set NAME=VALUE`;
}

function* runFacts({ command, args, env, url }: Record<string, unknown>): Generator<[string, string]> {
	if (typeof url === 'string') {
		yield ['reaches', url];
		yield ['rights', 'it sees what is sent to it, and nothing of this machine'];
		return;
	}
	const commandLine = [command, ...(Array.isArray(args) ? args : [])].map((arg) => quoted(String(arg)));
	yield ['runs', commandLine.join(' ')];
	const names = Object.keys(env ?? {});
	if (names.length > 0) yield ['with', names.join(', ')];
	yield [
		'rights',
		command === 'docker' || command === 'podman'
			? 'what its container is given'
			: 'everything that you may do here; "sandbox" in its entry narrows it',
	];
}

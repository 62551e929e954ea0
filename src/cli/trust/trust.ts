/* `mctl trust`: show what the project would run, and trust it; list and revoke. */
import { basename, dirname, resolve } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import type { ReadProjectFile } from '../../config/trust/blocked.ts';
import { type EffectChange, effectChanges } from '../../config/trust/effect-changes.ts';
import { PLANS_FOLDER } from '../../config/trust/plan-files.ts';
import { recordedEffects } from '../../config/trust/trust-edit.ts';
import { TrustRecord } from '../../config/trust/trust-record.ts';
import { OrchestraError } from '../../errors.ts';
import { pathWithoutLinks } from '../../files/path-without-links.ts';
import { readIfPresent } from '../../files/replace-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { printableLine } from '../../printable.ts';
import {
	type Command,
	type CommandInput,
	type CommandPlace,
	checkArgs,
	jsonFlag,
	usageError,
} from '../command.ts';
import { learnHere } from '../learn/learn.ts';
import type { Output } from '../terminal/output.ts';
import { printTable } from '../terminal/table.ts';

export const trust: Command = {
	usage: 'mctl trust [--dry-run] [--json] | --list | --revoke [PATH]',
	examples: [
		'mctl trust --dry-run              # what the project would run',
		'mctl trust',
		'mctl trust --list',
		'mctl trust --revoke',
	],
	flags: {
		'dry-run': { help: 'show it, and record nothing' },
		list: { help: 'show the project files that you trust' },
		revoke: { help: 'trust this project, or the file or folder PATH, no longer' },
		json: jsonFlag,
	},
	args: [0, 1, 'flags only, and a path after --revoke'],

	async run(input) {
		const { flags, environment } = input;
		const modes = ['dry-run', 'list', 'revoke'].filter((name) => flags[name] === true);
		if (modes.length > 1) throw usageError(trust, `--${modes[0]} and --${modes[1]} exclude each other`);
		const record = TrustRecord.ofUser(environment);
		if (flags['revoke'] === true) return revoke(record, input);
		checkArgs(input.args, { usage: trust.usage });
		if (flags['list'] === true) return list(record, input);
		await trustProject(record, input);
		if (flags['dry-run'] !== true) await learnHere(input);
	},
};

type TrustState = 'trusted' | 'new' | 'changed';

interface SeenFile extends Omit<ReadProjectFile, 'effects'> {
	readonly found: ReturnType<ReadProjectFile['effects']>;
	readonly sha256: string;
	readonly state: TrustState;
	readonly effects: readonly EffectChange[];
}

async function trustProject(record: TrustRecord, input: CommandInput): Promise<void> {
	const { flags, out } = input;
	const isDry = flags['dry-run'] === true;
	const files = projectFiles(input).map((file) => seenFile(file, record));
	if (flags['json'] !== true) for (const file of files) show(file, out);
	for (const { file, bytes, found, state } of files) {
		if (isDry || state === 'trusted') continue;
		await record.trust(file, bytes, recordedEffects(found));
	}
	if (flags['json'] === true) {
		const shown = files.map(({ file, sha256, state, effects }) => ({ file, sha256, state, effects }));
		return out.json({ schema: 'orchestra.trust/1', isRecorded: !isDry, files: shown });
	}
	for (const { file, state } of files) out.line(verdictOf(file, state, isDry));
}

/** The project files of the working directory as they are read. Throws when there is none, or one cannot be parsed. */
function projectFiles({ cwd, environment }: CommandPlace): ReadProjectFile[] {
	const found: ReadProjectFile[] = [];
	const onProjectFile = (file: ReadProjectFile): void => void found.push(file);
	const { problems, brokenFiles } = loadConfiguration({ cwd, environment, onProjectFile });
	const broken = problems.find(({ file }) => brokenFiles.includes(file));
	if (broken) {
		throw new OrchestraError('bad_input', broken.message, {
			hint: broken.hint ?? `Correct line ${broken.line} of ${broken.file}.`,
		});
	}
	if (found.length > 0) return found;
	throw new OrchestraError('not_found', `there is no project file in ${cwd} or above it`, {
		hint: 'A project file is orchestra.json, .mcp.json or plugins.yaml. mctl init writes one.',
	});
}

function seenFile(read: ReadProjectFile, record: TrustRecord): SeenFile {
	const hash = sha256(read.bytes);
	const known = record.find(read.file);
	const isKnown = known?.sha256.includes(hash) ?? false;
	const state = isKnown ? 'trusted' : known ? 'changed' : 'new';
	const { effects, ...file } = read;
	const found = effects();
	return { ...file, found, sha256: hash, state, effects: effectChanges(found, known?.runs) };
}

const marks = {
	same: [' ', undefined],
	added: ['+', 'green'],
	changed: ['~', 'yellow'],
	removed: ['-', 'red'],
} as const;

/** A stranger wrote the names and descriptions. */
function show({ file, state, effects }: SeenFile, out: Output): void {
	out.line(out.style('bold', printableLine(file)));
	if (effects.length === 0) return out.line('  It starts nothing and loosens nothing, so it needs no trust.');
	if (state === 'changed' && effects.every(({ change }) => change === 'same'))
		out.line('  What it runs and sets is the same; its text is not.');
	for (const { kind, name, text, change, before } of effects) {
		const [mark, color] = marks[state === 'new' ? 'same' : change];
		const shown = `${mark} ${kind} ${name}: ${change === 'removed' ? (before ?? '') : text}`;
		const line = `  ${printableLine(shown)}`;
		out.line(color === undefined ? line : out.style(color, line));
		if (change === 'changed' && before !== undefined)
			out.line(out.style('dim', `      before: ${printableLine(before)}`));
	}
}

function verdictOf(file: string, state: TrustState, isDry: boolean): string {
	const path = printableLine(file);
	if (state === 'trusted') return `${path} is trusted`;
	if (isDry)
		return `${path} ${state === 'new' ? 'is not trusted' : 'was changed since it was trusted'}; mctl trust trusts it`;
	return `Trusted: ${path}`;
}

function list(record: TrustRecord, { flags, out }: CommandInput): void {
	const projects = record.list().map(({ path, trustedAt, sha256 }) => {
		return { path, trustedAt, state: stateAt(path, sha256) };
	});
	if (flags['json'] === true) return out.json({ schema: 'orchestra.trust/1', projects });
	if (projects.length === 0)
		return out.info('No project file is trusted yet. `mctl trust` trusts that of this folder.');
	printTable(out, projects, undefined, {
		FILE: 'path',
		STATE: 'state',
		SINCE: ({ trustedAt }) => trustedAt.slice(0, 10),
	});
}

function stateAt(path: string, trusted: readonly string[]): 'trusted' | 'changed' | 'missing' {
	try {
		const bytes = readIfPresent(path);
		if (bytes === undefined) return 'missing';
		return trusted.includes(sha256(bytes)) ? 'trusted' : 'changed';
	} catch {
		return 'missing'; // a folder or a pipe by now
	}
}

async function revoke(record: TrustRecord, input: CommandInput): Promise<void> {
	const { args, flags, out, cwd } = input;
	const [arg] = args;
	// The folder, not its files: they may be damaged or gone by now.
	const path = arg === undefined ? projectFolder(input) : resolve(cwd, arg);
	const places = new Set([path, pathWithoutLinks(path)]);
	const isOfPlace = (file: string): boolean => {
		const folder = dirname(file);
		const isPlan = basename(folder) === PLANS_FOLDER && places.has(dirname(folder));
		return places.has(file) || places.has(folder) || isPlan;
	};
	const revoked = await record.revoke(isOfPlace);
	if (revoked.length === 0) {
		throw new OrchestraError('not_found', `nothing at ${path} is trusted, so there is nothing to revoke`, {
			hint: 'mctl trust --list shows the files that you trust.',
		});
	}
	if (flags['json'] === true) return out.json({ schema: 'orchestra.trust/1', revoked });
	for (const file of revoked) out.line(`No longer trusted: ${printableLine(file)}`);
}

function projectFolder({ cwd, environment }: CommandPlace): string {
	return loadConfiguration({ cwd, environment }).configuration.root;
}

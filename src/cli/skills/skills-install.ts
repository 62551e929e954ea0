/*
 * `mctl skills install`: a skill as a folder of this project, where clients find it.
 *
 * The user approves the files by their digests. The same files are installed again without a prompt;
 * after any change the user is asked again. A folder that was not installed so is never replaced.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { makePrivate } from '../../files/private-path.ts';
import { replaceFile } from '../../files/replace-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { isSkillName } from '../../library/skills/local-skill.ts';
import { pathsInSkill, skillFiles } from '../../library/skills/verify-skill.ts';
import type { Skill } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { confirm } from '../terminal/ask-line.ts';
import { nameOf, type SkillsOfHub, withSkills } from './skills.ts';

export const skillsInstall: Command = {
	usage: 'mctl skills install <name|uri> [--yes] [--json]',
	examples: ['mctl skills install release-notes', 'mctl skills install skill://docs/pdf/SKILL.md --yes'],
	flags: {
		yes: { help: 'do not ask' },
		json: jsonFlag,
	},
	args: [1, 1, 'one skill'],

	async run(input) {
		const { out, flags, args } = input;
		const [wanted = ''] = args;
		const { skill, folder } = await withSkills(input, async (found) => {
			const skill = await found.named(wanted);
			return { skill, folder: await install(skill, found, input) };
		});
		if (flags['json']) return out.json({ schema: 'orchestra.skill-install/1', uri: skill.uri, folder });
		out.line(`${nameOf(skill)} is in ${folder}`);
	},
};

async function install(skill: Skill, { read }: SkillsOfHub, input: CommandInput): Promise<string> {
	const { cwd, environment } = input;
	const name = nameOf(skill);
	if (!isSkillName(name))
		throw new OrchestraError('bad_input', `${skill.uri} has no valid name`, {
			hint: 'Report this to the author of its server.',
		});
	const { configuration } = loadConfiguration({ cwd, environment });
	const folder = join(configuration.root, '.claude', 'skills', name);
	const approval = new Approval(folder, stateFolder(environment));
	const paths = pathsInSkill(skill);
	const digests = Object.fromEntries(skillFiles(skill).map(({ uri, digest }) => [uri, digest]));
	if (existsSync(folder) && approval.digests === undefined) {
		throw new OrchestraError('bad_input', `${folder} exists and was not installed by mctl`, {
			hint: 'Move it away, then install again.',
		});
	}
	if (!approval.isFor(digests)) await confirm(consentText(skill, paths.size, approval), input);
	const draft = `${folder}.${process.pid}.draft`;
	try {
		for (const [uri, path] of paths) replaceFile(join(draft, ...path.split('/')), await read(skill, uri));
		approval.write(skill.uri, digests);
		rmSync(folder, { recursive: true, force: true });
		renameSync(draft, folder);
	} finally {
		rmSync(draft, { recursive: true, force: true });
	}
	return folder;
}

function consentText({ uri }: Skill, files: number, { digests }: Approval): string {
	const change = digests === undefined ? '' : ' It changed since you approved it.';
	return `Install ${uri} with ${files} files? Agents follow its text, and may run its scripts.${change}`;
}

/** The approval for one folder: its files by their digests. */
class Approval {
	readonly #folder: string;
	readonly #file: string;
	readonly digests: Readonly<Record<string, unknown>> | undefined;

	constructor(folder: string, state: string) {
		this.#folder = join(state, 'skills');
		this.#file = join(this.#folder, `${sha256(folder)}.json`);
		const stored = existsSync(this.#file) ? readState(this.#file) : undefined;
		this.digests = isObject(stored) && isObject(stored['digests']) ? stored['digests'] : undefined;
	}

	/** Whether these files, and no others, were approved. */
	isFor(digests: Readonly<Record<string, string>>): boolean {
		const uris = Object.keys(digests);
		const { digests: known } = this;
		return (
			known !== undefined &&
			Object.keys(known).length === uris.length &&
			uris.every((uri) => known[uri] === digests[uri])
		);
	}

	write(uri: string, digests: Readonly<Record<string, string>>): void {
		makeFolders(this.#folder, 0o700);
		makePrivate(this.#folder, 0o700);
		writeState(this.#file, { uri, digests, at: Date.now() });
	}
}

/* `mctl new tool`: a working tool to start from. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isCode, OrchestraError } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { bundledToolsRoot } from '../../tool/discover.ts';
import { isToolId } from '../../tool/manifest.ts';
import { ownEntry } from '../../wire/json.ts';
import { type Command, type CommandInput, jsonFlag, textFlag, usageError } from '../command.ts';
import { openProject } from '../target/project.ts';
import { unwritable } from './create-fragment.ts';
import { toolFiles, toolTemplates } from './tool-templates.ts';

const languages = Object.keys(toolTemplates);

export const newTool: Command = {
	usage: `mctl new tool <id> [--lang ${languages.join('|')}] [--dir FOLDER] [--json]`,
	examples: [
		'mctl new tool my-tool',
		'mctl new tool line-count --lang python',
		'mctl new tool x --dir ./tools',
	],
	flags: {
		lang: { value: 'LANG', help: `${languages.join(', ')} (default node)` },
		dir: { value: 'FOLDER', help: 'where its folder goes (default: the first tool root)' },
		json: jsonFlag,
	},
	args: [1, 1, 'an id, such as my-tool'],

	async run(input) {
		const { args, flags, out, cwd } = input;
		const [id = ''] = args;
		if (!isToolId(id)) {
			throw usageError(newTool, `"${id}" is not a tool id: use lower-case words and digits joined by -`);
		}
		const language = textFlag(input, 'lang') ?? 'node';
		const template = ownEntry(toolTemplates, language);
		if (!template) {
			throw usageError(newTool, `there is no template for "${language}"; there are ${languages.join(', ')}`);
		}
		const folder = join(rootFor(input), id);
		const files = toolFiles(id, template);
		writeNew(folder, files);
		const names = Object.keys(files);
		if (flags['json'])
			return out.json({ schema: 'orchestra.new/1', kind: 'tool', name: id, path: folder, files: names });
		const shown = relative(cwd, folder).startsWith('..') ? folder : relative(cwd, folder);
		for (const name of names) out.line(`${out.style('green', '+')} ${join(shown, name)}`);
		const isFound = openProject(input).tools.some((tool) => tool.folder === folder);
		out.line(`\nNext: mctl run ${isFound ? id : `./${shown}`} name=you`);
		out.line(`Then: mctl check ${shown}`);
	},
};

function rootFor(input: CommandInput): string {
	const root = openProject(input).roots.find((each) => each !== bundledToolsRoot);
	return resolve(input.cwd, textFlag(input, 'dir') ?? root ?? 'tools');
}

function writeNew(folder: string, files: Record<string, string>): void {
	try {
		makeFolders(join(folder, '..'));
		mkdirSync(folder);
	} catch (error) {
		if (!isCode(error, 'EEXIST')) throw unwritable(folder, error);
		throw new OrchestraError('bad_input', `${folder} exists already`, {
			hint: 'Choose another id, or remove the folder.',
		});
	}
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

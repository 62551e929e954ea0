/* `mctl new prompt`: a prompt that works at once, to be changed. */
import { resolve } from 'node:path';
import { type Command, usageError } from '../command.ts';
import { createFragment, titleOf } from './create-fragment.ts';

export const newPrompt: Command = {
	usage: 'mctl new prompt <name> [--prompts DIR] [--json]',
	examples: ['mctl new prompt summarise', 'mctl new prompt git/commit --prompts ./my-prompts'],
	flags: {
		prompts: { type: 'string', value: 'DIR', help: 'folder of prompts (default PROMPTS_PATH, ./prompts)' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run({ args, flags, cwd, environment, out }) {
		const [name, ...rest] = args;
		if (name === undefined || rest.length > 0) throw usageError(newPrompt, 'mctl new prompt needs one name');
		const folder =
			typeof flags['prompts'] === 'string' ? flags['prompts'] : environment['PROMPTS_PATH'] || 'prompts';
		const path = await createFragment(resolve(cwd, folder), name, textOf(name));
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'prompt', name, path });
		out.line(path);
		out.note(`try: mctl prompt ${titleWord(name)} topic="something"`);
	},
};

function titleWord(name: string): string {
	return (name.split('/').at(-1) ?? name).replace(/\.md$/, '');
}

function textOf(name: string): string {
	return `---
title: ${titleOf(name)}
description: Say in one sentence what this prompt is for.
arguments:
  - name: topic
    description: What it is about
    required: true
---
Write about {{topic}}.
`;
}

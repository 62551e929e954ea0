/* `mctl new prompt` and `mctl new resource`: a markdown file that works at once, with the front matter that makes it easy to find. */
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
		const path = await createFragment(resolve(cwd, folder), name, promptText(name));
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'prompt', name, path });
		out.line(path);
		out.info(`try: mctl prompt ${titleWord(name)} topic="something"`);
	},
};

function titleWord(name: string): string {
	return (name.split('/').at(-1) ?? name).replace(/\.md$/, '');
}

function promptText(name: string): string {
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

export const newResource: Command = {
	usage: 'mctl new resource <category>/<name> [--resources DIR] [--json]',
	examples: [
		'mctl new resource guides/retry-calls',
		'mctl new resource patterns/outbox --resources ./know-how',
	],
	flags: {
		resources: {
			type: 'string',
			value: 'DIR',
			help: 'folder of resources (default RESOURCES_PATH, ./resources)',
		},
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run({ args, flags, cwd, environment, out }) {
		const [name, ...rest] = args;
		if (name === undefined || rest.length > 0 || !name.includes('/')) {
			throw usageError(newResource, 'mctl new resource needs one category/name');
		}
		const folder =
			typeof flags['resources'] === 'string'
				? flags['resources']
				: environment['RESOURCES_PATH'] || 'resources';
		const path = await createFragment(resolve(cwd, folder), name, resourceText(name));
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'resource', name, path });
		out.line(path);
		out.info(`try: mctl read orchestr8://${name.replace(/\.md$/, '')}`);
	},
};

function resourceText(name: string): string {
	const title = titleOf(name);
	return `---
title: ${title}
description: Say in one sentence what the reader will know.
tags: [first-tag, second-tag]
useWhen:
  - The words of a user who has the problem
---
# ${title}

The answer, one subject, short enough to be read whole.
`;
}

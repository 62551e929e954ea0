/* `mctl new prompt` and `mctl new resource`: a markdown file that works at once, with the front matter that makes it easy to find. */
import { resolve } from 'node:path';
import { type Command, jsonFlag, textFlag, usageError } from '../command.ts';
import { createFragment, lastPart, titleOf } from './create-fragment.ts';

export const newPrompt: Command = newFragment({
	kind: 'prompt',
	usage: 'mctl new prompt <name> [--prompts DIR] [--json]',
	examples: ['mctl new prompt summarise', 'mctl new prompt git/commit --prompts ./my-prompts'],
	text: promptText,
	hint: (name) => `mctl prompt ${lastPart(name)} topic="something"`,
});

export const newResource: Command = newFragment({
	kind: 'resource',
	usage: 'mctl new resource <category>/<name> [--resources DIR] [--json]',
	examples: [
		'mctl new resource guides/retry-calls',
		'mctl new resource patterns/outbox --resources ./know-how',
	],
	text: resourceText,
	hint: (name) => `mctl read orchestr8://${name.replace(/\.md$/, '')}`,
});

interface FragmentKind extends Pick<Command, 'usage' | 'examples'> {
	readonly kind: 'prompt' | 'resource';
	readonly text: (name: string) => string;
	/** The command that shows it. */
	readonly hint: (name: string) => string;
}

function newFragment({ kind, usage, examples, text, hint }: FragmentKind): Command {
	const flag = `${kind}s`;
	const variable = `${flag.toUpperCase()}_PATH`;
	const needed = kind === 'prompt' ? 'name' : 'category/name';
	return {
		usage,
		examples,
		flags: {
			[flag]: { value: 'DIR', help: `folder of ${flag} (default ${variable}, ./${flag})` },
			json: jsonFlag,
		},
		args: [1, 1, `one ${needed}`],

		async run(input) {
			const { args, flags, cwd, environment, out } = input;
			const [name = ''] = args;
			if (kind === 'resource' && !name.includes('/'))
				throw usageError({ usage }, `mctl new ${kind} needs one ${needed}`);
			const folder = textFlag(input, flag) ?? (environment[variable] || flag);
			const path = await createFragment(resolve(cwd, folder), name, text(name));
			if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind, name, path });
			out.line(path);
			out.info(`try: ${hint(name)}`);
		},
	};
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

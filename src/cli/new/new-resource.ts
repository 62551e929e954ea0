/* `mctl new resource`: a fragment with the front matter that makes it easy to find. */
import { resolve } from 'node:path';
import { type Command, usageError } from '../command.ts';
import { createFragment, titleOf } from './create-fragment.ts';

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
		const path = await createFragment(resolve(cwd, folder), name, textOf(name));
		if (flags['json']) return out.json({ schema: 'orchestra.new/1', kind: 'resource', name, path });
		out.line(path);
		out.note(`try: mctl read orchestr8://${name.replace(/\.md$/, '')}`);
	},
};

function textOf(name: string): string {
	const title = titleOf(name);
	return `---
title: ${title}
description: Say in one sentence what the reader will know.
tags: [first-tag, second-tag]
useWhen:
  - The args of a user who has the problem
---
# ${title}

The answer, one subject, short enough to be read whole.
`;
}

/* `mctl learn`: start servers that were never seen once, and keep what they offer. */
import { resolve } from 'node:path';
import type { ServerEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { cacheFilesHere } from '../../hub/sources/mcp/server-cache.ts';
import type { Command, CommandInput } from '../command.ts';
import { exitCodes } from '../exit.ts';
import { serverNamed } from '../target/server-named.ts';
import { isUnknown, type LearntServer, learnServers } from './learn-servers.ts';

export const learn: Command = {
	usage: 'mctl learn [server…] [--config FILE] [--json]',
	examples: ['mctl learn                        # every server that was never seen', 'mctl learn files'],
	flags: {
		config: { type: 'string', value: 'FILE', help: 'use this configuration file and no other' },
		background: { type: 'boolean', help: 'leave out servers that another process learns' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		const { flags, out } = input;
		const learnt = await learnServers(meant(input), input, flags['background'] === true);
		if (flags['json'] === true) out.json({ schema: 'orchestra.learn/1', servers: learnt });
		else for (const server of learnt) report(out, server);
		if (learnt.length === 0 && flags['json'] !== true)
			out.note('Every server is known. `mctl list servers --check` starts each one again.');
		return learnt.some(({ error }) => error !== undefined) ? exitCodes.tool_failed : 0;
	},
};

function report(out: CommandInput['out'], { name, tools, error }: LearntServer): void {
	if (tools !== undefined) return out.line(`${name}  ${tools} tools`);
	if (error === undefined) return out.line(`${name}  another process learns it`);
	out.line(`${name}  FAILED`);
	out.note(`${name}: ${error.message}${error.hint === undefined ? '' : `\nhint: ${error.hint}`}`);
}

/** The servers that are named, by their names or by the keys that a hub gives; else all that were never seen. */
function meant({ args, flags, cwd, environment }: CommandInput): readonly ServerEntry[] {
	const file = typeof flags['config'] === 'string' ? resolve(cwd, flags['config']) : undefined;
	const { mcpServers } = loadConfiguration({ cwd, environment, file }).configuration;
	const enabled = mcpServers.filter(({ isEnabled }) => isEnabled);
	const isNew = (entry: ServerEntry): boolean => isUnknown(entry, environment);
	if (args.length === 0) return enabled.filter((entry) => entry.settings.learn && isNew(entry));
	if (flags['background'] === true)
		return enabled.filter((entry) => args.includes(cacheFilesHere(entry, environment).key) && isNew(entry));
	return args.map((arg) => serverNamed(enabled, arg));
}

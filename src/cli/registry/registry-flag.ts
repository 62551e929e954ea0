/* The registries that a command uses: the one of `--registry`, else those of the configuration and the official one. */

import type { RegistryEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { officialRegistry, RegistryClient } from '../../registry/registry-client.ts';
import type { ServerRecord } from '../../registry/server-record.ts';
import { type Command, type CommandInput, type Flag, textFlag, usageError } from '../command.ts';

export const registryFlag: Flag = {
	value: 'URL',
	help: 'ask this registry, or the one of this name in "registries"',
};

/** The registries in the order in which they are searched. */
export function chosenRegistries(input: CommandInput, command: Pick<Command, 'usage'>): RegistryClient[] {
	const { cwd, environment, signal, out } = input;
	const { registries } = loadConfiguration({ cwd, environment }).configuration;
	const all = [...registries.filter(({ name }) => name !== officialRegistry.name), officialRegistry];
	const wanted = textFlag(input, 'registry');
	const chosen = wanted === undefined ? all : [registryNamed(wanted, all, command)];
	return chosen.map(
		(registry) => new RegistryClient(registry, { environment, signal, info: (text) => out.info(text) }),
	);
}

function registryNamed(
	text: string,
	all: readonly RegistryEntry[],
	command: Pick<Command, 'usage'>,
): RegistryEntry {
	const named = all.find(({ name, url }) => name === text || url === text);
	if (named) return named;
	if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
		return { name: new URL(text).host, url: text };
	const names = all.map(({ name }) => name).join(', ');
	throw usageError(command, `--registry takes an https:// address, or one of ${names}; not "${text}"`);
}

/** The entry in the first registry that has it. */
export async function findServer(
	clients: readonly RegistryClient[],
	name: string,
	version?: string,
): Promise<{ record: ServerRecord; registry: RegistryEntry }> {
	let absent: unknown;
	for (const client of clients) {
		try {
			return { record: await client.server(name, version), registry: client.registry };
		} catch (error) {
			if (!OrchestraError.is(error, 'not_found')) throw error;
			absent ??= error;
		}
	}
	throw absent;
}

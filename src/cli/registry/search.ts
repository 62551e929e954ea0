/* `mctl search`: find MCP servers in a registry, by words of their names. */
import { OrchestraError } from '../../errors.ts';
import { printableLine } from '../../printable.ts';
import { REFERENCE_SPACE, referenceServers } from '../../registry/reference-servers.ts';
import type { ServerRecord } from '../../registry/server-record.ts';
import { type Command, jsonFlag } from '../command.ts';
import { formatCounted } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';
import { chosenRegistries, registryFlag } from './registry-flag.ts';

interface FoundServer extends ServerRecord {
	readonly registry: string;
}

export const search: Command = {
	usage: 'mctl search <terms…> [--registry URL] [--json]',
	examples: ['mctl search notes', "mctl search github --json | jq -r '.servers[].name'"],
	flags: {
		registry: registryFlag,
		json: jsonFlag,
	},
	args: [1, Number.POSITIVE_INFINITY, 'a word, such as notes'],

	async run(input) {
		const { args: terms, flags, out } = input;
		const found: FoundServer[] = flags['registry'] === undefined ? referencesWith(terms) : [];
		const failures: OrchestraError[] = [];
		const clients = chosenRegistries(input, search);
		for (const client of clients) {
			try {
				const { servers, unreadable, isCut } = await client.search(terms);
				found.push(...servers.map((server) => ({ ...server, registry: client.registry.name })));
				if (unreadable > 0)
					out.info(
						`note: ${formatCounted(unreadable, 'entry', 'entries')} of ${client.registry.name} cannot be read`,
					);
				if (isCut) out.info(`note: ${client.registry.name} has more; name the server more closely`);
			} catch (error) {
				input.signal.throwIfAborted();
				failures.push(OrchestraError.from(error, 'io'));
			}
		}
		// One registry that is down does not hide what the others have.
		const [failure] = failures;
		if (failure && found.length === 0) throw failure;
		for (const { message } of failures) out.warn(`warning: ${printableLine(message)}`);
		if (flags['json'] === true) return out.json({ schema: 'orchestra.search/1', servers: found.map(jsonOf) });
		if (found.length === 0)
			return out.info(`No server has ${terms.map((term) => `"${term}"`).join(' or ')} in its name.`);
		printTable(out, found, ['NAME', 'VERSION'], {
			NAME: shortName,
			VERSION: 'version',
			REGISTRY: 'registry',
			DESCRIPTION: ({ status, description }) =>
				`${status === 'deprecated' ? '(deprecated) ' : ''}${description}`,
		});
		out.info(`\nAdd one: mctl add ${found.slice(0, 1).map(shortName).join('')}`);
	},
};

/** The reference servers that have one of the terms. */
function referencesWith(terms: readonly string[]): FoundServer[] {
	const lowerCase = terms.map((term) => term.toLowerCase());
	return [...referenceServers().values()]
		.filter(({ name, description }) =>
			lowerCase.some((term) => `${name} ${description}`.toLowerCase().includes(term)),
		)
		.map((server) => ({ ...server, registry: REFERENCE_SPACE }));
}

function shortName({ name, registry }: FoundServer): string {
	return registry === REFERENCE_SPACE ? name.slice(REFERENCE_SPACE.length + 1) : name;
}

function jsonOf({ packages, remotes, registry, ...server }: FoundServer): object {
	return {
		...server,
		registry,
		packages: packages.map(({ registryType, identifier, version }) => ({
			type: registryType,
			identifier,
			version: version ?? null,
		})),
		remotes: remotes.map(({ url }) => url),
	};
}

/* `mctl outdated`: compare the pinned versions of servers, and their tools, with what their registries have now. */
import { OrchestraError } from '../../errors.ts';
import type { RegistryClient } from '../../registry/registry-client.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { printTable } from '../terminal/table.ts';
import { listNewer } from './newer-version.ts';
import { chosenRegistries, registryFlag } from './registry-flag.ts';
import { latestOf, type PackagedServer, packagedServers, replacementOf } from './server-packages.ts';
import { endUnfinished } from './unfinished-change.ts';

interface ComparedServer {
	readonly latest: string | null;
	readonly isOutdated: boolean;
	readonly problem: string | null;
	/** The tools that differ from the accepted ones; null when they were not listed. */
	readonly tools: readonly { tool: string; change: string }[] | null;
	readonly lines: readonly string[];
}

export const outdated: Command = {
	usage: 'mctl outdated [--tools] [--registry URL] [--json]',
	examples: [
		'mctl outdated',
		'mctl outdated --tools',
		"mctl outdated --json | jq -r '.servers[] | select(.isOutdated).name'",
	],
	flags: {
		tools: { help: 'start each newer version once, and show how its tools differ' },
		registry: registryFlag,
		json: jsonFlag,
	},

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const clients = chosenRegistries(input, outdated);
		await endUnfinished(environment);
		const servers = [];
		const differences: string[] = [];
		for (const server of packagedServers({ cwd, environment })) {
			const { name, pin, file } = server;
			const { lines, ...compared } = await compare(server, clients, input);
			differences.push(...lines);
			const { registry, name: listedAs, version } = pin;
			servers.push({ name, registry, listedAs, version, file: file.path, ...compared });
		}
		if (flags['json'] === true) return out.json({ schema: 'orchestra.outdated/1', servers });
		if (servers.length === 0) return out.info('No server here came from a registry; mctl search finds some.');
		printTable(out, servers, ['SERVER', 'VERSION', 'LATEST', 'STATE'], {
			SERVER: 'name',
			VERSION: 'version',
			LATEST: ({ latest }) => latest ?? '?',
			STATE: ({ name, version, latest, problem }) =>
				problem ?? (latest === version ? 'up to date' : `mctl upgrade ${name}`),
			'LISTED AS': 'listedAs',
		});
		for (const line of differences) out.line(line);
		if (flags['tools'] !== true && servers.some(({ isOutdated }) => isOutdated))
			out.info('\nHow their tools differ: mctl outdated --tools starts each newer version once');
	},
};

/** A registry that does not answer, or a version that does not start, is a problem of that server alone. */
async function compare(
	server: PackagedServer,
	clients: readonly RegistryClient[],
	input: CommandInput,
): Promise<ComparedServer> {
	const { pin } = server;
	let latest: string | null = null;
	try {
		const record = await latestOf(pin, clients);
		const source = replacementOf(pin, record);
		latest = source.version;
		const isOutdated = latest !== pin.version;
		const isListed = isOutdated && input.flags['tools'] === true;
		const newer = isListed ? await listNewer(server, source, input) : undefined;
		const about = record.statusMessage === undefined ? '' : `: ${record.statusMessage}`;
		return {
			latest,
			isOutdated,
			problem: record.status === 'deprecated' ? `deprecated${about}` : null,
			tools: newer?.drift.drifted.map(({ tool, kind }) => ({ tool, change: kind })) ?? null,
			lines: newer ? ['', ...newer.lines] : [],
		};
	} catch (error) {
		input.signal.throwIfAborted();
		const problem = OrchestraError.from(error, 'io').message;
		return { latest, isOutdated: latest !== null && latest !== pin.version, problem, tools: null, lines: [] };
	}
}

/* `mctl outdated`: compare the pinned versions of servers with what their registries have now. */
import { OrchestraError } from '../../errors.ts';
import type { ServerDrift } from '../../hub/server-drifts.ts';
import { printableLine } from '../../printable.ts';
import { type Command, refuseWords } from '../command.ts';
import { tableLines } from '../terminal/table.ts';
import { chosenRegistries, registryFlag } from './chosen-registry.ts';
import { listNewer } from './newer-version.ts';
import { latestOf, packagedServers, replacementOf } from './pinned-packages.ts';

export const outdated: Command = {
	usage: 'mctl outdated [--tools] [--registry URL] [--json]',
	examples: [
		'mctl outdated',
		'mctl outdated --tools',
		"mctl outdated --json | jq -r '.servers[] | select(.isOutdated).name'",
	],
	flags: {
		tools: {
			type: 'boolean',
			help: 'start each newer version once, and show how its tools differ from the accepted ones',
		},
		registry: registryFlag,
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		refuseWords(input, outdated);
		const { flags, out, cwd, environment, signal } = input;
		const clients = chosenRegistries(input, outdated);
		const servers = [];
		const differences: string[] = [];
		for (const { name, pin, file } of packagedServers({ cwd, environment })) {
			const base = {
				name,
				registry: pin.registry,
				listedAs: pin.name,
				version: pin.version,
				file: file.path,
			};
			try {
				const record = await latestOf(pin, clients);
				const source = replacementOf(pin, record);
				const { version: latest } = source;
				const isOutdated = latest !== pin.version;
				const newer =
					isOutdated && flags['tools'] === true
						? await listNewer({ name, pin, file }, source, input)
						: undefined;
				if (newer) differences.push(...newer.lines, '');
				const problem =
					record.status === 'deprecated'
						? `deprecated${record.statusMessage === undefined ? '' : `: ${record.statusMessage}`}`
						: null;
				servers.push({
					...base,
					latest,
					isOutdated,
					problem,
					tools: newer ? toolChanges(newer.drift) : null,
				});
			} catch (error) {
				signal.throwIfAborted();
				servers.push({
					...base,
					latest: null,
					isOutdated: false,
					problem: OrchestraError.from(error, 'io').message,
					tools: null,
				});
			}
		}
		if (flags['json'] === true) return out.json({ schema: 'orchestra.outdated/1', servers });
		if (servers.length === 0) return out.note('No server here came from a registry; mctl search finds some.');
		const rows = servers.map(({ name, version, latest, listedAs, problem }) => [
			name,
			version,
			latest ?? '?',
			printableLine(problem ?? (latest === version ? 'up to date' : `mctl upgrade ${name}`)),
			listedAs,
		]);
		const headings = ['SERVER', 'VERSION', 'LATEST', 'STATE', 'LISTED AS'];
		for (const line of tableLines(headings, rows, out.isTerminal ? out.width : undefined, [0, 1, 2, 3]))
			out.line(line);
		for (const line of ['', ...differences].slice(0, differences.length)) out.line(line);
		if (flags['tools'] !== true && servers.some(({ isOutdated }) => isOutdated))
			out.note('\nHow their tools differ: mctl outdated --tools starts each newer version once');
	},
};

function toolChanges({ drifted }: ServerDrift): { tool: string; change: string }[] {
	return drifted.map(({ tool, kind }) => ({ tool, change: kind }));
}

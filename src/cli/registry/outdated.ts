/* `mctl outdated`: compare the pinned versions of servers with what their registries have now. */
import { OrchestraError } from '../../errors.ts';
import { printableLine } from '../../printable.ts';
import { type Command, refuseWords } from '../command.ts';
import { tableLines } from '../terminal/table.ts';
import { chosenRegistries, registryFlag } from './chosen-registry.ts';
import { latestOf, packagedServers, replacementOf } from './pinned-packages.ts';

export const outdated: Command = {
	usage: 'mctl outdated [--registry URL] [--json]',
	examples: ['mctl outdated', "mctl outdated --json | jq -r '.servers[] | select(.isOutdated).name'"],
	flags: { registry: registryFlag, json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseWords(input, outdated);
		const { flags, out, cwd, environment, signal } = input;
		const clients = chosenRegistries(input, outdated);
		const servers = [];
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
				const { version: latest } = replacementOf(pin, record);
				const problem =
					record.status === 'deprecated'
						? `deprecated${record.statusMessage === undefined ? '' : `: ${record.statusMessage}`}`
						: null;
				servers.push({ ...base, latest, isOutdated: latest !== pin.version, problem });
			} catch (error) {
				signal.throwIfAborted();
				servers.push({
					...base,
					latest: null,
					isOutdated: false,
					problem: OrchestraError.from(error, 'io').message,
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
	},
};

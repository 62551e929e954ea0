/* `mctl hub ps`: every process that the hub owns, and what the MCP servers among them are. */
import { printable } from '../../printable.ts';
import { type Command, refuseArgs } from '../command.ts';
import { askHub } from '../hub-client/ask-hub.ts';
import { downLines } from '../hub-client/down-servers.ts';
import { ageOf, megabytes } from '../terminal/quantity.ts';
import { tableLines } from '../terminal/table.ts';

const headings = [
	'BACKEND',
	'PID',
	'MEMORY',
	'AGE',
	'LAST CALL',
	'STATE',
	'ERA',
	'VERSION',
	'TOOLS',
	'COMMAND',
];
const narrow = [0, 1, 2, 5, 9];

export const hubPs: Command = {
	usage: 'mctl hub ps [--json]',
	examples: ['mctl hub ps', "mctl hub ps --json | jq -r '.processes[].pid'"],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, hubPs);
		const { flags, out, cwd, environment } = input;
		const { processes, servers } = await askHub({ cwd, environment });
		if (flags['json']) return out.json({ schema: 'orchestra.hub-ps/1', processes, servers });
		if (processes.length + servers.length === 0) return out.note('The hub owns no process now.');
		const rows = processes.map(({ backend, pid, memoryBytes, startedAt, lastCall, state, command }) => {
			const server = servers.find(({ name }) => name === backend);
			return [
				backend,
				String(pid),
				memoryBytes === null ? '-' : megabytes(memoryBytes),
				ageOf(startedAt),
				lastCall === null ? '-' : `${ageOf(lastCall)} ago`,
				state,
				server?.era ?? '-',
				server?.version ?? '-',
				server?.tools?.toString() ?? '-',
				command,
			];
		});
		const stopped = servers.filter(({ name }) => !processes.some(({ backend }) => backend === name));
		for (const { name, state, era, version, tools } of stopped) {
			rows.push([name, '-', '-', '-', '-', state, era ?? '-', version ?? '-', tools?.toString() ?? '-', '-']);
		}
		for (const line of tableLines(headings, rows, out.isTerminal ? out.width : undefined, narrow))
			out.line(line);
		for (const note of servers.flatMap(downLines)) out.note(`mctl: ${printable(note)}`);
	},
};

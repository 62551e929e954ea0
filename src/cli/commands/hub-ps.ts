/* `mctl hub ps`: every process that the hub owns. */
import { askHub } from '../ask-hub.ts';
import { type Command, refuseWords } from '../command.ts';
import { ageOf, megabytes } from '../terminal/quantity.ts';
import { tableLines } from '../terminal/table.ts';

export const hubPs: Command = {
	usage: 'mctl hub ps [--json]',
	examples: ['mctl hub ps', "mctl hub ps --json | jq -r '.processes[].pid'"],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseWords(input, hubPs);
		const { flags, out, environment } = input;
		const { processes } = await askHub(environment);
		if (flags['json']) return out.json({ schema: 'orchestra.hub-ps/1', processes });
		if (processes.length === 0) return out.note('The hub owns no process now.');
		const rows = processes.map(({ backend, pid, memoryBytes, startedAt, lastCall, state, command }) => [
			backend,
			String(pid),
			memoryBytes === null ? '-' : megabytes(memoryBytes),
			ageOf(startedAt),
			lastCall === null ? '-' : `${ageOf(lastCall)} ago`,
			state,
			command,
		]);
		const headings = ['BACKEND', 'PID', 'MEMORY', 'AGE', 'LAST CALL', 'STATE', 'COMMAND'];
		for (const line of tableLines(headings, rows, out.isTerminal ? out.width : undefined)) out.line(line);
	},
};

/* `mctl hub status`: the shared hub and what it serves. */
import { printable } from '../../printable.ts';
import { askHub } from '../ask-hub.ts';
import { type Command, refuseWords } from '../command.ts';
import { ageOf, megabytes } from '../terminal/quantity.ts';
import { tableLines } from '../terminal/table.ts';

export const hubStatus: Command = {
	usage: 'mctl hub status [--json]',
	examples: ['mctl hub status', 'mctl hub status --json | jq .backends'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseWords(input, hubStatus);
		const { flags, out, environment } = input;
		const { startTime: _start, ...status } = await askHub(environment);
		if (flags['json']) return out.json({ schema: 'orchestra.hub/1', ...status });
		const {
			pid,
			address,
			networkAddress,
			httpUrl,
			root,
			startedAt,
			memoryBytes,
			backends,
			clients,
			unset = [],
			heldBack,
		} = status;
		const bridges = `${clients} ${clients === 1 ? 'client' : 'clients'}`;
		out.line(
			`The hub of ${root}: pid ${pid}, ${[address, networkAddress].filter(Boolean).join(' and ')}, up ${ageOf(startedAt)}, ${bridges}, ${megabytes(memoryBytes)}`,
		);
		if (httpUrl !== undefined) out.line(`MCP over HTTP: ${httpUrl} (its token: mctl hub token)`);
		if (unset.length > 0) out.line(`Variables of the configuration that are not set: ${unset.join(', ')}`);
		for (const sentence of heldBack) out.line(`Project trust: ${printable(sentence)} (mctl trust)`);
		const rows = backends.map(({ id, kind, lastCall, state }) => [
			id,
			kind,
			lastCall === null ? '-' : `${ageOf(lastCall)} ago`,
			state,
		]);
		for (const line of tableLines(
			['BACKEND', 'KIND', 'LAST CALL', 'STATE'],
			rows,
			out.isTerminal ? out.width : undefined,
		))
			out.line(line);
	},
};

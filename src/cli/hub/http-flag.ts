/* The flag `--http` of `mctl hub start` and `run`. */
import { parseAddress } from '../../link/address.ts';
import { type Command, type CommandInput, type Flag, refuseArgs } from '../command.ts';

/** Loopback, any free port. */
const ADDRESS = '127.0.0.1:0';

export const httpFlag: Flag = {
	type: 'boolean',
	value: 'ADDR',
	help: `serve MCP over HTTP too (default ${ADDRESS}: any free port)`,
};

/** The address after the flag; undefined without the flag. Throws `bad_input` for any other argument, and for what is no address. */
export function httpAddressOf(
	{ flags, args }: Pick<CommandInput, 'flags' | 'args'>,
	command: Pick<Command, 'usage'>,
): string | undefined {
	const { http } = flags;
	refuseArgs({ args: http === true ? args.slice(1) : args }, command);
	const address = http === true ? (args[0] ?? ADDRESS) : http || undefined;
	if (address !== undefined) parseAddress(address);
	return address;
}

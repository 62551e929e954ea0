/* The flag `--http` of `mctl hub start` and `run`. */
import { parseAddress } from '../../link/address.ts';
import { type ArgCount, type Command, type CommandInput, checkArgs, type Flag } from '../command.ts';

/** Loopback, any free port. */
const ADDRESS = '127.0.0.1:0';

export const httpFlag: Flag = {
	value: 'ADDR',
	isValueOptional: true,
	help: `serve MCP over HTTP too (default ${ADDRESS}: any free port)`,
};

/** The value of the flag may be an argument. */
export const httpArgs: ArgCount = [0, 1, 'flags only, and an address after --http'];

/** The address after the flag; undefined without the flag. Throws `bad_input` for any other argument, and for what is no address. */
export function httpAddressOf(
	{ flags, args }: Pick<CommandInput, 'flags' | 'args'>,
	command: Pick<Command, 'usage'>,
): string | undefined {
	const { http } = flags;
	checkArgs(http === true ? args.slice(1) : args, { usage: command.usage });
	const address = http === true ? (args[0] ?? ADDRESS) : http || undefined;
	if (address !== undefined) parseAddress(address);
	return address;
}

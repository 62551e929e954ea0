/* What happens when a server changes a tool that was accepted. */
import type { PinMode } from './configuration.ts';
import { key, type Shape, word } from './key.ts';

/** The strictest is the last. */
export const pinModes = ['off', 'warn', 'quarantine'] as const;

/** The mode of one entry. */
export const pinMode: Shape<PinMode> = word<PinMode>(pinModes, { tell: 'warn', hold: 'quarantine' });

/** The mode of all servers in one file. A mistake counts as the strictest mode: it must not switch pins off. */
const strictIfWrong: Shape<PinMode> = {
	...pinMode,
	read: (field, place) => pinMode.read(field, place) ?? (field.isPresent ? 'quarantine' : undefined),
};

export const pinOfAll = key(
	strictIfWrong,
	'what happens when an MCP server changes its tools: `"warn"`, `"quarantine"` or `"off"` ([pins](trust.md#pins)); the strictest of all files counts',
	{
		byDefault: 'warn',
		merge: (one, other) => (pinModes.indexOf(other) > pinModes.indexOf(one) ? other : one),
	},
);

/* What happens when a server changes a tool that was accepted. */
import type { Configuration, PinMode } from './configuration.ts';
import { type Key, key, type Shape, word } from './key.ts';

/** The strictest is the last. */
const pinModes: readonly PinMode[] = ['off', 'warn', 'quarantine'];

/** The mode of one entry. */
export const pinMode: Shape<PinMode> = word(pinModes, { tell: 'warn', hold: 'quarantine' });

/** The mode of all servers in one file. A mistake counts as the strictest mode: it must not switch pins off. */
export const pinOfAll: Key<PinMode> = key(
	{
		...pinMode,
		read: (field, place) => pinMode.read(field, place) ?? (field.isPresent ? 'quarantine' : undefined),
	},
	{
		about:
			'what happens when an MCP server changes its tools: `"warn"`, `"quarantine"` or `"off"` ([pins](trust.md#pins)); the strictest of all files counts',
		byDefault: 'warn',
		merge: (one, other) => (pinModes.indexOf(other) > pinModes.indexOf(one) ? other : one),
	},
);

/** The sections with the pin mode of all servers where an entry, or the fabric, has none of its own. */
export function withPins<Sections extends Pick<Configuration, 'mcpServers' | 'fabric' | 'pin'>>(
	sections: Sections,
): Sections {
	const { fabric, pin: ofAll = 'warn' } = sections;
	const mcpServers = sections.mcpServers.map((server) => ({
		...server,
		settings: { ...server.settings, pin: server.settings.pin ?? ofAll },
	}));
	return { ...sections, mcpServers, fabric: fabric && { ...fabric, pin: fabric.pin ?? ofAll } };
}

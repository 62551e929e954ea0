/*
 * The settings of an MCP server that are ours, next to the keys of any other client.
 * A key that we do not know is ignored: another client may use it.
 */
import type { Configuration, PinMode, ServerScope, ServerSettings } from './configuration.ts';
import type { Field } from './field.ts';

const scopes: readonly ServerScope[] = ['shared', 'session', 'call'];
/** The strictest is the last. */
const pinModes: readonly PinMode[] = ['off', 'tell', 'hold'];

/** Read the settings; a wrong value is a problem of the entry. */
export function readServerSettings(field: Field): ServerSettings {
	return {
		scope: readScope(field.at('scope')) ?? 'shared',
		startMs: field.at('startMs').count() ?? 60_000,
		timeoutMs: field.at('timeoutMs').count() ?? 30_000,
		maxMs: field.at('maxMs').count() ?? 600_000,
		idleMs: field.at('idleMs').countOrZero() ?? 600_000,
		concurrency: field.at('concurrency').count() ?? 64,
		queue: field.at('queue').countOrZero() ?? 1000,
		restart: field.at('restart').flag() ?? true,
		allow: field.at('allow').texts(),
		deny: field.at('deny').texts() ?? [],
		rename: readRename(field.at('rename')),
		eager: field.at('eager').flag() ?? false,
		prefix: field.at('prefix').flag() ?? true,
		redact: field.at('redact').flag() ?? false,
		record: field.at('record').flag() ?? false,
		pin: readPin(field.at('pin')),
	};
}

/** Read a pin mode; undefined when there is none, or it is wrong. */
export function readPin(field: Field): PinMode | undefined {
	const mode = pinModes.find((each) => each === field.value);
	if (mode !== undefined || !field.isPresent) return mode;
	return field.report(pinModes.map((each) => `"${each}"`).join(', '));
}

/** The pin mode of all servers in one file. A mistake counts as the strictest mode: it must not switch pins off. */
export function readPinOfAll(field: Field): PinMode | undefined {
	return readPin(field) ?? (field.isPresent ? 'hold' : undefined);
}

/** The stricter of two pin modes. */
export function stricterPin(one: PinMode | undefined, other: PinMode | undefined): PinMode | undefined {
	const rank = (mode: PinMode | undefined): number => (mode === undefined ? -1 : pinModes.indexOf(mode));
	return rank(other) > rank(one) ? other : one;
}

/** The sections with the pin mode of all servers where an entry, or the fabric, has none of its own. */
export function withPins<Sections extends Pick<Configuration, 'mcpServers' | 'fabric' | 'pin'>>(
	sections: Sections,
): Sections {
	const { fabric, pin: pinOfAll = 'tell' } = sections;
	const mcpServers = sections.mcpServers.map((server) => ({
		...server,
		settings: { ...server.settings, pin: server.settings.pin ?? pinOfAll },
	}));
	return { ...sections, mcpServers, fabric: fabric && { ...fabric, pin: fabric.pin ?? pinOfAll } };
}

/** Two tools with the same new name could not be told apart. */
function readRename(field: Field): Readonly<Record<string, string>> {
	const names = new Map<string, string>();
	for (const [own, given] of field.entries()) {
		const name = given.text();
		if (name === undefined) continue;
		if ([...names.values()].includes(name)) given.report('a new name of its own for each tool');
		names.set(own, name);
	}
	return Object.fromEntries(names);
}

function readScope(field: Field): ServerScope | undefined {
	const scope = scopes.find((each) => each === field.value);
	if (scope !== undefined || !field.isPresent) return scope;
	return field.report(scopes.map((each) => `"${each}"`).join(', '));
}

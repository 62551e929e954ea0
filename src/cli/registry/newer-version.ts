/* The newest version of a server that came from a registry, started once: how its tools differ from the accepted ones. */
import type { ServerEntry } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { type ServerDrift, serverDrifts } from '../../hub/server-drifts.ts';
import { serverFindings } from '../../hub/server-findings.ts';
import { reviewedItems } from '../../hub/sources/mcp/tools/server-tools.ts';
import { type PackageSource, packageReference } from '../../registry/launch-plan.ts';
import type { CommandInput } from '../command.ts';
import { listOnce } from '../learn/check-servers.ts';
import { serverByName } from '../target/target-name.ts';
import { driftLines } from '../terminal/drift-view.ts';
import type { PackagedServer } from './server-packages.ts';

export interface NewerVersion {
	readonly drift: ServerDrift;
	/** The difference, for a terminal. */
	readonly lines: readonly string[];
}

/** Start the version of `source`, list it, stop it, and compare its tools with the pins. Nothing is written. */
export async function listNewer(
	{ name, pin }: PackagedServer,
	source: PackageSource & { readonly version: string },
	input: CommandInput,
): Promise<NewerVersion> {
	const { cwd, environment, out } = input;
	const { configuration, blocked } = loadConfiguration({ cwd, environment });
	const entry = newEntry(serverByName(configuration.mcpServers, name, blocked), pin, source);
	const { file, settings } = entry;
	const tools = reviewedItems(await listOnce(entry, input, settings.startMs));
	const drifts = serverDrifts([{ kind: 'listed', name, file, settings, tools }], environment);
	const findings = serverFindings(drifts).get(name) ?? [];
	const lines = drifts
		.flatMap((each) => driftLines(each, findings, out))
		// They are accepted together with the version.
		.filter((text) => !text.includes('accept: mctl'));
	const [drift] = drifts;
	if (drift === undefined) throw new Error(`no comparison of ${name}`);
	const heading = `${name}: ${pin.version} → ${source.version}`;
	return { drift, lines: [heading, ...(lines.length === 0 ? [noDifference(drift)] : lines)] };
}

function noDifference({ state, pin, tools }: ServerDrift): string {
	if (state !== 'unpinned') return 'Its tools are the same.';
	const why = pin === 'off' ? '"pin" is "off"' : 'none were accepted yet';
	return `Its ${tools.length} tools are compared with nothing: ${why}.`;
}

function newEntry(entry: ServerEntry, pin: PackagedServer['pin'], source: PackageSource): ServerEntry {
	const next = (arg: string): string => (arg === packageReference(pin) ? packageReference(source) : arg);
	if (entry.kind !== 'stdio') return { ...entry, url: next(entry.url) };
	return { ...entry, record: { ...entry.record, args: (entry.record.args ?? []).map(next) } };
}

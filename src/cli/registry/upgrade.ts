/*
 * `mctl upgrade`: take the newest version of a server that came from a registry.
 *
 * The new version is started and listed before anything is written: what changed of its
 * tools is shown, and accepted together with the version.
 */
import type { ServerEntry } from '../../config/configuration.ts';
import { setJsonKey } from '../../config/edit/json-edit.ts';
import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { serverDrifts } from '../../hub/server-drifts.ts';
import { serverFindings } from '../../hub/server-findings.ts';
import { reviewedItems } from '../../hub/sources/mcp/tools/server-tools.ts';
import { quoted } from '../../printable.ts';
import { type PackageSource, packageReference } from '../../registry/launch-plan.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { PinStore } from '../../trust/pins/pin-store.ts';
import { isObject } from '../../wire/json.ts';
import type { Command } from '../command.ts';
import { editFlags, oneName, reportEdit, writeEdit } from '../edit/edit-servers.ts';
import { listOnce } from '../learn/check-servers.ts';
import { serverNamed } from '../target/server-named.ts';
import { confirm } from '../terminal/confirm.ts';
import { driftLines } from '../terminal/drift-view.ts';
import { chosenRegistries, registryFlag } from './chosen-registry.ts';
import { latestOf, type PackagedServer, packagedServers, replacementOf } from './pinned-packages.ts';

export const upgrade: Command = {
	usage: 'mctl upgrade <server> [--yes] [--dry-run] [--json]',
	examples: ['mctl outdated', 'mctl upgrade notes'],
	flags: {
		registry: registryFlag,
		yes: { type: 'boolean', short: 'y', help: 'accept the changed tools without the question' },
		'dry-run': { type: 'boolean', help: 'show what would change' },
		json: editFlags['json'] ?? { type: 'boolean', help: '' },
	},

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const name = oneName(input, upgrade);
		const server = packagedServers({ cwd, environment }).find((each) => each.name === name);
		if (server === undefined) {
			throw new OrchestraError('bad_input', `${name} did not come from a registry`, {
				hint: 'mctl outdated shows the servers that did.',
			});
		}
		const record = await latestOf(server.pin, chosenRegistries(input, upgrade));
		const source = replacementOf(server.pin, record);
		const { version } = source;
		if (version === server.pin.version) {
			reportEdit(input, { name, file: server.file, change: 'upgraded', wasChanged: false }, [
				`${name} ${version} is the newest version`,
			]);
			return;
		}
		const written = withVersion(server, source);
		const { configuration, heldBack } = loadConfiguration({ cwd, environment });
		const entry = newEntry(serverNamed(configuration.mcpServers, name, heldBack), server.pin, source);
		const tools = reviewedItems(await listOnce(entry, input, entry.settings.startMs));
		const listed = { kind: 'listed', name, file: entry.file, settings: entry.settings, tools } as const;
		const drifts = serverDrifts([listed], environment);
		const findings = serverFindings(drifts);
		out.note(`${name}: ${server.pin.version} → ${version}`);
		const lines = drifts.flatMap((drift) => driftLines(drift, findings.get(name) ?? [], out));
		for (const line of lines.filter((text) => !text.includes('accept: mctl'))) out.note(line);
		if (lines.length === 0) out.note('Its tools are the same.');
		if (flags['dry-run'] === true) return out.note('Nothing was written (--dry-run).');
		await confirm('Upgrade it?', input);
		await writeEdit(input, server.file, setJsonKey(server.file.text, ['mcpServers', name], written));
		const store = new PinStore(pinPlace(server.file.path, environment));
		if (entry.settings.pin !== 'off') await store.accept(name, tools);
		await store.setPackage(name, {
			...server.pin,
			version,
			identifier: source.identifier,
			sha256: source.sha256,
		});
		reportEdit(input, { name, file: server.file, change: 'upgraded', wasChanged: true }, [
			`${out.style('green', '~')} ${name} ${version} in ${server.file.path}`,
		]);
	},
};

/** The entry as it is written, with the new version in the word that names the package. */
function withVersion({ name, file, pin }: PackagedServer, source: PackageSource): Record<string, unknown> {
	const entry = file.servers[name];
	const args = isObject(entry) && Array.isArray(entry['args']) ? entry['args'] : [];
	const before = packageReference(pin);
	if (isObject(entry) && args.includes(before)) {
		return {
			...entry,
			args: args.map((word) => (word === before ? packageReference(source) : (word as unknown))),
		};
	}
	if (isObject(entry) && entry['url'] === before) return { ...entry, url: packageReference(source) };
	throw new OrchestraError(
		'bad_input',
		`the entry of ${name} in ${file.path} was changed: it does not have ${before}`,
		{
			hint: `Write ${packageReference(source)} there yourself, or add it anew: mctl remove ${quoted(name)}, then mctl add ${quoted(pin.name)}`,
		},
	);
}

function newEntry(entry: ServerEntry, pin: PackagedServer['pin'], source: PackageSource): ServerEntry {
	const next = (word: string): string => (word === packageReference(pin) ? packageReference(source) : word);
	if (entry.kind !== 'stdio') return { ...entry, url: next(entry.url) };
	return { ...entry, record: { ...entry.record, args: (entry.record.args ?? []).map(next) } };
}

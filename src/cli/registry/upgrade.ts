/*
 * `mctl upgrade`: take the newest version of a server that came from a registry.
 *
 * The new version is started and listed before anything is written: what changed of its
 * tools is shown, and accepted together with the version.
 */
import { writeServerFile } from '../../config/edit/editable-files.ts';
import { setJsonKey } from '../../config/edit/json-edit.ts';
import { OrchestraError } from '../../errors.ts';
import { quoted } from '../../printable.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { type PackageSource, packageReference } from '../../registry/launch-plan.ts';
import type { PinnedPackage } from '../../trust/pins/lock-file.ts';
import { pinPlace } from '../../trust/pins/pin-place.ts';
import { PinStore } from '../../trust/pins/pin-store.ts';
import { isObject } from '../../wire/json.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { oneServer, reportEdit, writeEdit } from '../edit/edit-servers.ts';
import { confirm } from '../terminal/ask-line.ts';
import { listNewer } from './newer-version.ts';
import { chosenRegistries, registryFlag } from './registry-flag.ts';
import { latestOf, type PackagedServer, packagedServers, replacementOf } from './server-packages.ts';
import { endUnfinished } from './unfinished-change.ts';

export const upgrade: Command = {
	usage: 'mctl upgrade <server> [--yes] [--dry-run] [--json]',
	examples: ['mctl outdated', 'mctl upgrade notes'],
	flags: {
		registry: registryFlag,
		yes: { short: 'y', help: 'accept the changed tools without the prompt' },
		'dry-run': { help: 'show what would change' },
		json: jsonFlag,
	},
	args: oneServer,

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const name = input.args[0] ?? '';
		await endUnfinished(environment);
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
		const { drift, lines } = await listNewer(server, source, input);
		for (const line of lines) out.info(line);
		if (flags['dry-run'] === true) return out.info('Nothing was written (--dry-run).');
		await confirm('Upgrade it?', input);
		const after = { ...server.pin, version, identifier: source.identifier, sha256: source.sha256 };
		await write(server, { written, after, tools: drift.pin === 'off' ? undefined : drift.tools }, input);
		reportEdit(input, { name, file: server.file, change: 'upgraded', wasChanged: true }, [
			`${out.style('green', '~')} ${name} ${version} in ${server.file.path}`,
		]);
	},
};

/**
 * The entry first, then package and tools in one write: a kill in between leaves a new version whose tools
 * are not accepted yet, and the next upgrade ends it. When the second write fails, the first one is taken back.
 */
async function write(
	{ name, file, pin }: PackagedServer,
	change: { written: Record<string, unknown>; after: PinnedPackage; tools: readonly Tool[] | undefined },
	input: CommandInput,
): Promise<void> {
	const { environment } = input;
	const text = setJsonKey(file.text, ['mcpServers', name], change.written);
	const isWritten = text !== file.text;
	if (isWritten) await writeEdit(input, file, text);
	try {
		await new PinStore(pinPlace(file.path, environment)).replacePackage(name, { before: pin, ...change });
	} catch (error) {
		if (isWritten) await writeServerFile({ ...file, bytes: Buffer.from(text) }, file.text, environment);
		throw error;
	}
}

/** The entry as it is written, with the new version in the argument that names the package. */
function withVersion({ name, file, pin }: PackagedServer, source: PackageSource): Record<string, unknown> {
	const entry = file.servers[name];
	const args = isObject(entry) && Array.isArray(entry['args']) ? entry['args'] : [];
	const before = packageReference(pin);
	const after = packageReference(source);
	// An address may be the same in the new version; an upgrade that was interrupted has written the entry already.
	if (isObject(entry) && (before === after || args.includes(after) || entry['url'] === after)) return entry;
	if (isObject(entry) && args.includes(before)) {
		return {
			...entry,
			args: args.map((arg) => (arg === before ? after : (arg as unknown))),
		};
	}
	if (isObject(entry) && entry['url'] === before) return { ...entry, url: after };
	throw new OrchestraError(
		'bad_input',
		`the entry of ${name} in ${file.path} was changed: it does not have ${before}`,
		{
			hint: `Write ${after} there yourself, or add it anew: mctl remove ${quoted(name)}, then mctl add ${quoted(pin.name)}`,
		},
	);
}

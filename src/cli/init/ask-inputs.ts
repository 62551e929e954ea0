/*
 * The values that VS Code asks for when it starts a server, asked once at the import.
 * Secrets are stored as those of `mctl add`; the configuration gets references.
 */
import type { ClientServer } from '../../config/clients/client-file.ts';
import type { ClientFiles } from '../../config/clients/client-files.ts';
import { type ClientInput, withInputs } from '../../config/clients/client-inputs.ts';
import type { FoundServer } from '../../config/clients/import-plan.ts';
import { printableLine } from '../../printable.ts';
import type { LaunchInput } from '../../registry/launch-slots.ts';
import { possibleReferences, removeStored } from '../../secrets/store-secret.ts';
import type { CommandInput } from '../command.ts';
import { askMissing, storedValues } from '../registry/entry-values.ts';
import { type EntryChange, withRecord } from '../registry/unfinished-change.ts';

/** The client files with the servers whose inputs the user can be asked for, or have defaults. Of a name that is `taken`, none is. */
export function withAskable(
	{ files, broken }: ClientFiles,
	taken: ReadonlySet<string>,
	canAsk: boolean,
): ClientFiles {
	const fill = (server: ClientServer): ClientServer => {
		if (server.askable === undefined || taken.has(server.name)) return server;
		const { entry, inputs } = server.askable;
		const missing = inputs.filter((each) => each.default === undefined).map(({ id }) => id);
		if (canAsk || missing.length === 0) return { ...server, entry, reason: undefined };
		return { ...server, reason: `needs ${missing.join(', ')}: mctl init on a terminal asks for that` };
	};
	return { broken, files: files.map((file) => ({ ...file, servers: file.servers.map(fill) })) };
}

/** A server with the values that it needs. */
export interface AnsweredServer {
	readonly server: FoundServer;
	readonly inputs: readonly LaunchInput[];
	readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Ask for the values of the chosen servers, each input of a file once. Nothing is stored. */
export async function askInputs(
	chosen: readonly FoundServer[],
	input: CommandInput,
): Promise<AnsweredServer[]> {
	const known = new Map<string, string[]>();
	const answered: AnsweredServer[] = [];
	for (const server of chosen) {
		const source = server.sources.find((each) => each.server.askable !== undefined);
		const inputs = (source?.server.askable?.inputs ?? []).map(launchInput);
		const keyOf = ({ key, isSecret, exposedIn }: LaunchInput): string =>
			JSON.stringify([source?.file.path, key, isSecret && exposedIn]);
		const given = new Map(
			inputs.flatMap((each): [string, string[]][] => {
				const value = known.get(keyOf(each)) ?? (each.default === undefined ? undefined : [each.default]);
				return value === undefined ? [] : [[each.key, value]];
			}),
		);
		if (inputs.length > 0)
			input.out.info(`${printableLine(server.name)} needs values that VS Code asks for.`);
		const values = await askMissing(inputs, given, input);
		for (const each of inputs) known.set(keyOf(each), values.get(each.key) ?? []);
		answered.push({ server, inputs, values });
	}
	return answered;
}

/**
 * Store the secrets of the servers, and let `write` write their entries. When that fails or is killed, the secrets are
 * removed. @param fileOf the configuration that gets a server
 */
export async function withInputsStored<T>(
	answered: readonly AnsweredServer[],
	{ input, fileOf }: { input: CommandInput; fileOf: (server: FoundServer) => string },
	write: (servers: readonly FoundServer[]) => Promise<T>,
): Promise<T> {
	const { environment } = input;
	const ownerOf = (server: FoundServer): string[] => [fileOf(server), server.name];
	const changes = answered.flatMap(({ server, inputs }): EntryChange[] => {
		const secrets = inputs
			.filter(({ isSecret }) => isSecret)
			.flatMap(({ key }) => possibleReferences([...ownerOf(server), key], environment));
		return secrets.length === 0 ? [] : [{ file: fileOf(server), name: server.name, bundle: null, secrets }];
	});
	const store = async (): Promise<T> => {
		try {
			const filled: FoundServer[] = [];
			for (const { server, inputs, values } of answered) {
				const stored = await storedValues(inputs, values, { ...input, owner: ownerOf(server) });
				const strings = new Map([...stored].map(([key, [text = '']]) => [key, text]));
				filled.push(inputs.length === 0 ? server : { ...server, entry: withInputs(server.entry, strings) });
			}
			return await write(filled);
		} catch (error) {
			for (const { secrets } of changes) await removeStored(secrets, environment);
			throw error;
		}
	};
	return changes.reduce((make, change) => () => withRecord(change, environment, make), store)();
}

/** An input with a default gets it: the user can change it in the configuration. */
function launchInput({ id, ...input }: ClientInput): LaunchInput {
	return { ...input, key: id, isRequired: true, format: 'string', isRepeated: false };
}

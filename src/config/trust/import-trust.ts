/* Trust for a configuration that gets servers from other files of the project, such as an `.mcp.json`. */
import { basename } from 'node:path';
import { messageOf } from '../../errors.ts';
import { trustsAll } from './blocked.ts';
import { type ProjectEdit, trustEdit } from './trust-edit.ts';
import { TrustRecord } from './trust-record.ts';

/** A file that servers are taken from. */
export interface ImportSource {
	readonly path: string;
	readonly bytes: Uint8Array;
}

/** Like `trustEdit`, but only when every source is trusted: importing a server must not trust it. */
export async function importTrust(
	edit: ProjectEdit,
	sources: readonly ImportSource[],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
	if (trustsAll(environment)) return undefined;
	const record = TrustRecord.ofUser(environment);
	try {
		const stranger = sources.find(({ path, bytes }) => !record.has(path, bytes));
		if (stranger) return `servers in it come from ${basename(stranger.path)}, which is not trusted`;
	} catch (error) {
		return `the record of trust cannot be used: ${messageOf(error)}`;
	}
	return trustEdit(edit, environment);
}

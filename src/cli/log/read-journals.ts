/* The calls in the journals of this folder: that of the shared hub, and those of `mctl serve`. */
import { basename, dirname, join } from 'node:path';
import { isCode, OrchestraError } from '../../errors.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readRegularText } from '../../files/regular-file.ts';
import { serveJournalFiles } from '../../hub/journal/serve-journal.ts';
import { matchesWildcard } from '../../trust/wildcard.ts';
import { jsonObject } from '../../wire/json.ts';
import { JOURNAL_READ_LIMIT_BYTES } from '../cli-limits.ts';
import { type Command, type CommandInput, type CommandPlace, textFlag, usageError } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';

/** A call, as its line says. */
export type LoggedCall = Readonly<Record<string, unknown>>;

/** Which calls are shown. */
export interface CallFilter {
	readonly tool: string | undefined;
	readonly client: string | undefined;
	readonly isFailed: boolean;
	/** Milliseconds since the epoch. */
	readonly since: number | undefined;
}

/** The journals of this folder, that of the shared hub first. Each may have an older part `.1`. */
export function journalsHere({ cwd, environment }: CommandPlace): string[] {
	const folder = hubFolderHere({ cwd, environment });
	folder.assertPrivate();
	return [folder.journalFile, ...serveJournalFiles(folder.path)];
}

/** The parts of a journal that exist, the oldest first, with names for messages. */
export function readJournal(file: string): { name: string; text: string }[] {
	return [`${file}.1`, file].flatMap((path) => {
		assertPrivate(path);
		try {
			return [{ name: journalName(path), text: readRegularText(path, JOURNAL_READ_LIMIT_BYTES) }];
		} catch (error) {
			if (isCode(error, 'ENOENT')) return [];
			throw OrchestraError.from(error, 'io');
		}
	});
}

/** A short name for messages. */
export function journalName(path: string): string {
	return basename(dirname(path)) === 'serve' ? join('serve', basename(path)) : basename(path);
}

/** The call of a line; undefined for a line that is no call. */
export function callOf(line: string): LoggedCall | undefined {
	const found = jsonObject(line);
	return found !== undefined && typeof found['name'] === 'string' ? found : undefined;
}

export function isShown(call: LoggedCall, { tool, client, isFailed, since }: CallFilter): boolean {
	return (
		(tool === undefined || matchesWildcard(tool, String(call['name']))) &&
		(client === undefined || matchesWildcard(client, String(call['client']))) &&
		(!isFailed || call['outcome'] !== 'ok') &&
		(since === undefined || Date.parse(String(call['at'])) >= since)
	);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The moment that `--since` means: `90s`, `5m`, `1h`, `2d` ago. */
export function sinceFlag(input: CommandInput, command: Pick<Command, 'usage'>): number | undefined {
	const text = textFlag(input, 'since');
	if (text === undefined) return undefined;
	const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
	if (count === undefined || unit === undefined)
		throw usageError(command, `--since takes a time such as 90s, 5m, 1h or 2d, not "${text}"`);
	return Date.now() - Number(count) * (units[unit] ?? 0);
}

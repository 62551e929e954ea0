/*
 * The journal of `mctl serve`. Several of them may run in one folder, and a hash chain
 * has one writer, so each process has its own file, made with its first call.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Log } from '../log.ts';
import { fileJournal, type Journal, noJournal } from './journal.ts';

/** Files of earlier processes that are kept. */
const KEPT_FILES = 20;

/** The folder of the files, in the state folder of a hub. */
export function serveJournalFolder(hubPath: string): string {
	return join(hubPath, 'serve');
}

/**
 * A journal of this process. Nothing is written before the first call; a folder that cannot be written is ignored.
 * `hubPath` finds the state folder, when it is needed.
 */
export function serveJournal(hubPath: () => Promise<string>): Journal {
	let journal: Promise<Journal> | undefined;
	const open = async (): Promise<Journal> => {
		const folder = serveJournalFolder(await hubPath());
		removeOld(folder);
		const moment = new Date().toISOString().replace(/[:.]/g, '-');
		return fileJournal(join(folder, `${moment}-${process.pid}.ndjson`), Log.silent);
	};
	return {
		// A line costs as much CPU time as the call itself; an agent's own hub writes none unless a person wants to know.
		needsPolicy: true,
		write: (entry) => {
			journal ??= open().catch(() => noJournal); // a project without a state folder has no journal
			void journal.then((opened) => opened.write(entry));
		},
		close: async () => (await journal)?.close(),
	};
}

/** Names begin with the time, so they sort by age. */
function removeOld(folder: string): void {
	try {
		const files = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
		for (const name of files.sort().slice(0, -KEPT_FILES)) {
			for (const suffix of ['', '.1', '.head']) rmSync(join(folder, name + suffix), { force: true });
		}
	} catch {
		// There is no such folder yet, or it cannot be written: then nothing is recorded either.
	}
}

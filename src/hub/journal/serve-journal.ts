/*
 * The journal of a process that is not the shared hub: `mctl serve`, `mctl worker`, a
 * command such as `mctl call`. Several of them may run in one folder, and a hash chain
 * has one writer, so each process has its own file, made with its first call.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors.ts';
import { isAlive } from '../../files/folder-lock.ts';
import { assertPrivate } from '../../files/private-path.ts';
import type { Log } from '../../log.ts';
import { JOURNAL_EARLY_LINES, SERVE_JOURNALS_BYTES, SERVE_JOURNALS_LIMIT } from '../hub-limits.ts';
import { fileJournal, type Journal, type JournalTokens, noJournal } from './journal.ts';

/** The files of a journal. */
const suffixes = ['', '.1', '.head'];

/** The folder of the files, in the state folder of a hub. */
export function serveJournalFolder(hubPath: string): string {
	return join(hubPath, 'serve');
}

/** The names of the journals in the folder, the oldest first. One of which only a part is left has a name too. */
export function serveJournalNames(folder: string): string[] {
	const names = readdirSync(folder).flatMap((name) => /^(.*\.ndjson)(?:\.1|\.head)?$/.exec(name)?.[1] ?? []);
	return [...new Set(names)].sort(); // they begin with the time
}

/** The journals themselves. None without the folder; one of another user is refused. */
export function serveJournalFiles(hubPath: string): string[] {
	const folder = serveJournalFolder(hubPath);
	assertPrivate(folder);
	return existsSync(folder) ? serveJournalNames(folder).map((name) => join(folder, name)) : [];
}

/**
 * A journal of this process. Nothing is written before the first call; a folder that cannot be written causes one
 * warning. `hubPath` finds the state folder, when it is needed.
 */
export function serveJournal(hubPath: () => Promise<string>, log: Log): Journal {
	let journal: Promise<Journal> | undefined;
	let opened: Journal | undefined;
	/** Tokens of lists come before the first call, which makes the file. */
	const early: JournalTokens[] = [];
	const open = async (): Promise<Journal> => {
		const folder = serveJournalFolder(await hubPath());
		removeOld(folder);
		const moment = new Date().toISOString().replace(/[:.]/g, '-');
		return fileJournal(join(folder, `${moment}-${process.pid}.ndjson`), log);
	};
	const openFirst = async (): Promise<Journal> => {
		opened = await open().catch((error: unknown) => {
			log.warn(`the calls of this process are in no journal: ${messageOf(error)}`);
			return noJournal;
		});
		for (const entry of early.splice(0)) opened.writeTokens?.(entry);
		return opened;
	};
	return {
		write: (entry) => {
			if (opened) return opened.write(entry);
			journal ??= openFirst();
			void journal.then((first) => first.write(entry));
		},
		writeTokens: (entry) => {
			if (opened) opened.writeTokens?.(entry);
			else if (early.length < JOURNAL_EARLY_LINES) early.push(entry);
		},
		close: async () => (await journal)?.close(),
	};
}

function removeOld(folder: string): void {
	let [files, bytes] = [0, 0];
	try {
		for (const name of serveJournalNames(folder).reverse()) {
			files++;
			bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
			const isRetained =
				(files < SERVE_JOURNALS_LIMIT && bytes < SERVE_JOURNALS_BYTES) || isAlive(writerOf(name));
			if (!isRetained) for (const suffix of suffixes) rmSync(join(folder, name + suffix), { force: true });
		}
	} catch {
		// There is no such folder yet, or it cannot be written, which the first line reports.
	}
}

function writerOf(name: string): number {
	return Number(/-(\d+)\.ndjson$/.exec(name)?.[1]);
}

/* Folders for the tests of one file, and the files in them. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { atEndOfFile } from './at-end.ts';

/** A new empty folder, removed after the tests of the file. */
export function temporaryFolder(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orchestra-')));
	// Retried: a process that the last test ended may be writing its last file.
	atEndOfFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
	return folder;
}

/** Write files below `folder` (relative path to content), making their folders. Scripts are made executable. Gives back `folder`. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
	for (const [name, content] of Object.entries(files)) {
		const path = join(folder, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
		if (typeof content === 'string' && content.startsWith('#!')) chmodSync(path, 0o755);
	}
	return folder;
}

/** The variables of a process whose user has this home and trusts every project. */
export function homeVariables(home: string): Record<string, string> {
	return {
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		XDG_CONFIG_HOME: join(home, 'config'),
		ORCHESTRA_TRUST: 'all',
	};
}

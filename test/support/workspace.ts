/* A folder for one test, and the text in it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder, removed when the test is over. */
export function temporaryFolder(): string {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), 'orchestra-')));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Write files below a folder, making their folders. Gives back the folder. */
export function withFiles(folder: string, files: Record<string, string | Uint8Array>): string {
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	return folder;
}

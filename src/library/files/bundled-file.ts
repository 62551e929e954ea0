/* Files that ship with the package. The first search reads them, so other commands do not wait for them. */
import { join } from 'node:path';
import { OrchestraError, systemCode } from '../../errors.ts';
import { packageRoot } from '../../files/package-root.ts';
import { readRegularFile } from '../../files/regular-file.ts';

/** The path of a file in the `data` folder of the package. */
export function bundledFile(name: string): string {
	return join(packageRoot(), 'data', name);
}

/** Throws `not_found` for a file that cannot be read, `bad_input` for a file that is too large; `what` names it in the sentence. */
export function readBundled(file: string, what: string, limitBytes: number): Buffer {
	try {
		return readRegularFile(file, limitBytes);
	} catch (cause) {
		if (OrchestraError.is(cause))
			throw new OrchestraError('bad_input', `${what}: ${cause.message}`, { cause });
		const code = systemCode(cause) ?? 'unknown';
		throw new OrchestraError('not_found', `${what} cannot be read (${code})`, {
			cause,
			hint: 'Install the package again.',
		});
	}
}

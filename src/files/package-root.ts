/* The folder of this package: data, examples and the version are below it. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let known: string | undefined;

/** The nearest ancestor folder with a `package.json`: bundled code and source are at different depths. */
export function packageRoot(): string {
	known ??= nearest(dirname(fileURLToPath(import.meta.url)));
	return known;
}

function nearest(folder: string): string {
	const above = dirname(folder);
	return above === folder || existsSync(join(folder, 'package.json')) ? folder : nearest(above);
}

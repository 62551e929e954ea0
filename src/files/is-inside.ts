/* Whether one path contains another. Links are not followed: where they count, give real paths. */
import { isAbsolute, relative, sep } from 'node:path';

/** True when `path` is `folder` or below it. Both are absolute. */
export function isInside(path: string, folder: string): boolean {
	const between = relative(folder, path);
	return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/* A folder with a program of Node that uses this package, before anything was installed there. */
import { lstat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { packageRoot } from '../../files/package-root.ts';
import { writeNewFile } from './create-fragment.ts';

const PACKAGE_NAME = 'orchestra-hub';

/** A program, and the subpath of this package that it imports. */
export interface NodeProgram {
	readonly name: string;
	readonly file: string;
	readonly source: string;
	readonly imports: 'orchestra-hub/mcp' | 'orchestra-hub/plugin';
}

/** Write the program and its `package.json`, and link this package. Returns the path of the program. Overwrites nothing. */
export async function writeNodeProgram(folder: string, program: NodeProgram): Promise<string> {
	const path = join(folder, program.file);
	await writeNewFile(path, program.source);
	await writeNewFile(join(folder, 'package.json'), packageSource(program.name));
	await linkPackage(folder, program);
	return path;
}

function packageSource(given: string): string {
	const name = given.toLowerCase().replace(/[^a-z0-9]+/g, '-');
	// By path, not by name: anyone may register an unpublished name.
	const dependencies = { [PACKAGE_NAME]: `file:${packageRoot()}` };
	const content = { name, version: '0.1.0', private: true, type: 'module', dependencies };
	return `${JSON.stringify(content, null, '\t')}\n`;
}

/** So that the package is found before anything was installed. */
async function linkPackage(folder: string, { file, imports }: NodeProgram): Promise<void> {
	try {
		createRequire(join(folder, file)).resolve(imports);
	} catch {
		const modules = join(folder, 'node_modules');
		makeFolders(modules);
		const link = join(modules, PACKAGE_NAME);
		const isThere = await lstat(link).then(
			() => true,
			() => false,
		);
		if (!isThere) await symlink(packageRoot(), link, 'junction');
	}
}

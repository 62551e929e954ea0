/* A part of the state folder with a folder for each principal: the hash of the principal is its name. */
import { join } from 'node:path';
import { makeFolders } from '../../files/make-folders.ts';
import { namesIn } from '../../files/names-in.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { sha256 } from '../../files/sha256.ts';
import { stateFolder } from '../../files/state-folder.ts';

/** What is stored for a principal under an id. */
interface Stored {
	readonly principal: string;
	readonly id: string;
}

/** The ids of what is stored. */
export const STORED_ID: RegExp = /^[\da-f]{32}$/;

export class PrincipalFolders {
	readonly #root: string;

	constructor(environment: Readonly<NodeJS.ProcessEnv>, name: string) {
		this.#root = join(stateFolder(environment), name);
	}

	/** The folder of a principal. */
	of(principal: string): string {
		return join(this.#root, sha256(principal).slice(0, 32));
	}

	/** The same as a list; the folders of all principals without one. */
	all(principal?: string): string[] {
		if (principal !== undefined) return [this.of(principal)];
		return namesIn(this.#root).map((name) => join(this.#root, name));
	}

	/** The file of this kind. */
	path({ principal, id }: Stored, kind: string): string {
		return join(this.of(principal), `${id}${kind}`);
	}

	/** Make the folder of a principal, so that only the user can read it. */
	make(principal: string): void {
		makeFolders(this.of(principal), 0o700);
		assertPrivate(this.of(principal));
	}
}

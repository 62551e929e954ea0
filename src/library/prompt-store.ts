/*
 * The prompts in memory. Names are assigned in the order of the files: of two files
 * with one name the first has it, and the other is named by its path.
 */
import type { SourceFile } from './files/fragment.ts';
import type { FileStore } from './files/library-root.ts';
import { type LibraryPrompt, readPrompt } from './prompt-file.ts';

export class PromptStore implements FileStore {
	readonly #byFile = new Map<string, LibraryPrompt>();
	readonly #filesByName = new Map<string, Set<string>>();
	#byName: ReadonlyMap<string, LibraryPrompt> | undefined;

	get size(): number {
		return this.#byFile.size;
	}

	/** All prompts by the name they are called with, sorted by it. */
	get prompts(): ReadonlyMap<string, LibraryPrompt> {
		this.#byName ??= new Map([...this.#named()].sort(([a], [b]) => (a < b ? -1 : 1)));
		return this.#byName;
	}

	put(source: SourceFile): string[] {
		this.drop(source.file);
		const { prompt, problems } = readPrompt(source);
		const files = this.#filesByName.get(prompt.name) ?? new Set();
		const [rival] = files;
		if (rival !== undefined) {
			const [first = '', second = ''] = [rival, source.file].sort();
			problems.push(
				`${first} and ${second} are both named "${prompt.name}"; the second is called by its path`,
			);
		}
		this.#filesByName.set(prompt.name, files.add(source.file));
		this.#byFile.set(source.file, prompt);
		this.#byName = undefined;
		return problems;
	}

	drop(file: string): string[] {
		const name = this.#byFile.get(file)?.name ?? '';
		this.#filesByName.get(name)?.delete(file);
		this.#byFile.delete(file);
		this.#byName = undefined;
		return [];
	}

	#named(): Map<string, LibraryPrompt> {
		const byName = new Map<string, LibraryPrompt>();
		const inOrder = [...this.#byFile.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
		for (const prompt of inOrder) {
			const name = byName.has(prompt.name) ? prompt.file.replace(/\.[^.]+$/, '') : prompt.name;
			if (!byName.has(name)) byName.set(name, prompt);
		}
		return byName;
	}
}

/* One value of foreign JSON: an entry of a registry, or the manifest of a bundle. */
import { OrchestraError } from '../errors.ts';
import { isObject } from '../wire/json.ts';
import { LIST_ITEMS, TEXT_CHARACTERS } from './registry-limits.ts';

/** A member of foreign JSON, with its path for messages. */
export class ForeignMember {
	readonly value: unknown;
	readonly #path: string;

	constructor(value: unknown, path: string) {
		this.value = value === null ? undefined : value;
		this.#path = path;
	}

	/** A member of what is absent is absent. */
	at(name: string): ForeignMember {
		const object = this.value === undefined ? {} : this.object();
		const older = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
		const found = Object.hasOwn(object, name)
			? object[name]
			: Object.hasOwn(object, older)
				? object[older]
				: undefined;
		return new ForeignMember(found, `${this.#path}.${name}`);
	}

	/** The names of its members; none when it is absent. */
	names(): string[] {
		return this.value === undefined ? [] : Object.keys(this.object());
	}

	object(): Record<string, unknown> {
		if (!isObject(this.value)) throw this.wrong('an object');
		return this.value;
	}

	items(): ForeignMember[] {
		if (this.value === undefined) return [];
		if (!Array.isArray(this.value)) throw this.wrong('a list');
		if (this.value.length > LIST_ITEMS) throw this.wrong(`at most ${LIST_ITEMS} items`);
		return this.value.map((item: unknown, at) => new ForeignMember(item, `${this.#path}[${at}]`));
	}

	text(): string | undefined {
		const text = this.template();
		if (text?.includes('${')) throw this.wrong('a text without ${…}');
		return text;
	}

	/** The same, where `${…}` has a meaning of its own. */
	template(): string | undefined {
		const { value } = this;
		if (value === undefined) return undefined;
		// `default: 8080` and `default: true` are in many entries.
		const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
		if (typeof text !== 'string') throw this.wrong('a text');
		if (text.length > TEXT_CHARACTERS) throw this.wrong(`a text of at most ${TEXT_CHARACTERS} characters`);
		// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
		if (/[\u0000-\u0008\u000B-\u001F\u007F]/.test(text))
			throw this.wrong('a text without control characters');
		return text;
	}

	required(): string {
		const text = this.text();
		if (text === undefined || text === '') throw this.wrong('a text');
		return text;
	}

	flag(): boolean {
		if (this.value !== undefined && typeof this.value !== 'boolean') throw this.wrong('true or false');
		return this.value === true;
	}

	oneOf<T extends string>(allowed: readonly T[], otherwise: T, older: Readonly<Record<string, T>> = {}): T {
		const text = this.text();
		if (text === undefined) return otherwise;
		const found =
			allowed.find((each) => each === text) ?? (Object.hasOwn(older, text) ? older[text] : undefined);
		if (found === undefined) throw this.wrong(allowed.map((each) => `"${each}"`).join(' or '));
		return found;
	}

	wrong(expected: string): OrchestraError {
		return new OrchestraError('bad_input', `${this.#path} must be ${expected}`, {
			hint: 'Its author has to correct it. `mctl add <name> -- <command…>` adds a server by its command.',
		});
	}
}

/* Which tools of a server are offered, and under which names. */
import type { ServerSettings } from '../../../config/configuration.ts';
import type { Tool } from '../../../protocol/mcp-types.ts';

type NameSettings = Pick<ServerSettings, 'allow' | 'deny' | 'rename'>;

/** Maps the tools of a server to those that clients see, and back. */
export class ToolNames {
	readonly #settings: NameSettings;
	readonly #allow: readonly RegExp[] | undefined;
	readonly #deny: readonly RegExp[];
	/** The own name of each renamed tool. */
	readonly #ownNames: ReadonlyMap<string, string>;

	constructor(settings: NameSettings) {
		this.#settings = settings;
		this.#allow = settings.allow?.map(patternOf);
		this.#deny = settings.deny.map(patternOf);
		this.#ownNames = new Map(Object.entries(settings.rename).map(([own, given]) => [given, own]));
	}

	/** The tools that are offered, renamed. */
	offered(tools: readonly Tool[]): readonly Tool[] {
		const { allow, deny } = this.#settings;
		if (allow === undefined && deny.length === 0 && this.#ownNames.size === 0) return tools;
		return tools
			.filter(({ name }) => this.isOffered(name))
			.map((tool) => {
				const given = this.givenName(tool.name);
				return given === tool.name ? tool : { ...tool, name: given };
			});
	}

	/** Whether a tool with this own name is offered. */
	isOffered(name: string): boolean {
		const isAllowed = this.#allow?.some((pattern) => pattern.test(name)) ?? true;
		return isAllowed && !this.#deny.some((pattern) => pattern.test(name));
	}

	/** The name under which a tool of the server is offered. */
	givenName(own: string): string {
		const { rename } = this.#settings;
		return (Object.hasOwn(rename, own) ? rename[own] : undefined) ?? own;
	}

	/** The server's own name of a tool. */
	ownName(given: string): string {
		return this.#ownNames.get(given) ?? given;
	}
}

/** `*` stands for any characters. */
export function patternOf(pattern: string): RegExp {
	// Runs of stars are one: several in a row would backtrack.
	const parts = pattern.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.*')}$`, 's');
}

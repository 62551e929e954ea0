/* The allowlist of a server: which of its tools are exposed, and under which names. */
import type { ServerSettings } from '../../../../config/configuration.ts';
import type { Tool } from '../../../../protocol/mcp-types.ts';
import { wildcard } from '../../../../trust/wildcard.ts';

type NameTest = (name: string) => boolean;
type NameSettings = Pick<ServerSettings, 'allow' | 'deny' | 'rename'>;

/** Maps the tools of a server to those that clients see, and back. */
export class ToolAllowlist {
	readonly #settings: NameSettings;
	readonly #allow: readonly NameTest[] | undefined;
	readonly #deny: readonly NameTest[];
	/** The own name of each exposed tool that is renamed. */
	readonly #upstreamNames: ReadonlyMap<string, string>;
	readonly #onTaken: (tool: string, by: string) => void;

	/** @param onTaken called with each list for each tool that is left out because a rename gave its name to `by` */
	constructor(settings: NameSettings, onTaken: (tool: string, by: string) => void = () => {}) {
		this.#settings = settings;
		this.#onTaken = onTaken;
		this.#allow = settings.allow?.map(wildcard);
		this.#deny = settings.deny.map(wildcard);
		const renamed = Object.entries(settings.rename).filter(([own]) => this.isAllowed(own));
		this.#upstreamNames = new Map(renamed.map(([own, given]) => [given, own]));
	}

	/** The tools that are exposed, renamed. */
	exposed(tools: readonly Tool[]): readonly Tool[] {
		const { allow, deny } = this.#settings;
		if (allow === undefined && deny.length === 0 && this.#upstreamNames.size === 0) return tools;
		return tools
			.filter(({ name }) => this.isAllowed(name) && !this.#isTaken(name))
			.map((tool) => {
				const given = this.givenName(tool.name);
				return given === tool.name ? tool : { ...tool, name: given };
			});
	}

	/** Whether a tool with this own name is exposed. */
	isAllowed(name: string): boolean {
		const isAllowed = this.#allow?.some((isMatch) => isMatch(name)) ?? true;
		return isAllowed && !this.#deny.some((isMatch) => isMatch(name));
	}

	/** Whether a call of its name goes to another tool. */
	#isTaken(name: string): boolean {
		const by = this.upstreamName(this.givenName(name));
		if (by === name) return false;
		this.#onTaken(name, by);
		return true;
	}

	/** The name under which a tool of the server is exposed. */
	givenName(own: string): string {
		const { rename } = this.#settings;
		return (Object.hasOwn(rename, own) ? rename[own] : undefined) ?? own;
	}

	/** The server's own name of a tool. */
	upstreamName(given: string): string {
		return this.#upstreamNames.get(given) ?? given;
	}
}

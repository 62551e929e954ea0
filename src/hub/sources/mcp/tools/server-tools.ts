/*
 * The tools of one MCP server as clients see them: those that the entry allows, renamed,
 * without those that are quarantined because they differ from their pins.
 */
import type { ServerEntry } from '../../../../config/configuration.ts';
import { OrchestraError } from '../../../../errors.ts';
import { loggedOnce } from '../../../../log.ts';
import type { ServerConnection } from '../../../../mcp/client/server-connection.ts';
import { type CallToolResult, failure, type Tool } from '../../../../protocol/mcp-types.ts';
import { taskSupportOf } from '../../../../protocol/tasks.ts';
import { rpcError } from '../../../../rpc/rpc-error.ts';
import { contentItem } from '../../../../trust/pins/tool-drift.ts';
import { claimsOf } from '../../../../trust/policy.ts';
import { plainName, shortened, toolPrefix } from '../../../../trust/tool-name.ts';
import { canonicalSha256 } from '../../../../wire/canonical-json.ts';
import { isObject } from '../../../../wire/json.ts';
import { rpcCodes } from '../../../../wire/json-rpc.ts';
import { OLD_PAGE_KEY } from '../../../calls/adapt-apps.ts';
import { isPage } from '../../../catalogue/names.ts';
import { type CachedServer, leftOutText } from '../server-cache.ts';
import type { ServerCatalogue } from '../server-catalogue.ts';
import type { McpSourceOptions } from '../server-deps.ts';
import { OverriddenTools } from './overridden-tools.ts';
import type { ServerPins } from './server-pins.ts';
import { ToolAllowlist } from './tool-allowlist.ts';

export class ServerTools {
	readonly #entry: ServerEntry;
	readonly #names: ToolAllowlist;
	readonly #catalogue: ServerCatalogue;
	readonly #pins: ServerPins;
	/** Reads of the tools of processes before their first call. */
	readonly #checked = new WeakMap<ServerConnection, Promise<unknown>>();

	/** The settings of the entry for its tools. */
	readonly overrides: OverriddenTools;

	constructor(
		{ entry, environment, log }: Pick<McpSourceOptions, 'entry' | 'environment' | 'log'>,
		catalogue: ServerCatalogue,
		pins: ServerPins,
	) {
		const { name: server, settings } = entry;
		this.#entry = entry;
		this.overrides = new OverriddenTools({ server, overrides: settings.overrides, environment, log });
		const warn = loggedOnce((text) => log.warn(text));
		this.#names = new ToolAllowlist(settings, (tool, by) =>
			warn(`"${tool}" of ${server} is left out: \`rename\` gives its name to "${by}"`),
		);
		this.#catalogue = catalogue;
		this.#pins = pins;
	}

	/** The tools of `tools` that are listed. */
	listed(tools: readonly Tool[]): readonly Tool[] {
		const quarantined = this.#pins.quarantined;
		const applied = this.overrides.apply(tools);
		return this.#names.exposed(quarantined ? applied.filter(({ name }) => !quarantined.has(name)) : applied);
	}

	/** The instructions of the server, unless they are quarantined. */
	get instructions(): string | undefined {
		const text = instructionsOf(this.#catalogue.known);
		return this.#pins.quarantined?.has(INSTRUCTIONS) ? undefined : text;
	}

	/** Whether a server that was never seen may have a tool of this name. */
	mayHave(name: string): boolean {
		return (
			this.#catalogue.known === undefined && this.#entry.settings.prefix && name.startsWith(this.#prefix)
		);
	}

	/** The server's own name of a tool. Throws when the entry does not allow it. */
	upstreamName(name: string): string {
		const own = this.#names.upstreamName(this.mayHave(name) ? name.slice(this.#prefix.length) : name);
		if (!this.#names.isAllowed(own)) throw rpcError(rpcCodes.invalidParams, `Unknown tool: ${name}`);
		return own;
	}

	/** Why a tool is quarantined or left out, by its name here or as clients of the hub see it; undefined when it is not. */
	unlistedReason(name: string): string | undefined {
		const { problems } = this.overrides;
		const quarantined = this.#pins.quarantined;
		const { leftOut = [] } = this.#catalogue.known ?? {};
		if (quarantined === undefined && problems.size === 0 && leftOut.length === 0) return undefined;
		const reasons = leftOut.map((item) => [item.name, leftOutText(this.#entry.name, item)] as const);
		for (const [own, reason] of [...(quarantined ?? []), ...problems, ...reasons]) {
			const given = this.#names.givenName(own);
			if (this.#names.isAllowed(own) && (name === given || name === this.#published(given))) return reason;
		}
		return undefined;
	}

	/** Throws when a page is quarantined: what it may reach changed since it was accepted. */
	assertPage(own: string): void {
		const reason = isPage(own) ? this.#pins.quarantined?.get(pageItem(own)) : undefined;
		if (reason !== undefined) throw new OrchestraError('bad_input', reason);
	}

	/** Throws when a page that was read is not as it was accepted, and is quarantined: its content, or what it may reach. */
	assertContents(own: string, contents: unknown): void {
		if (!isPage(own) || !Array.isArray(contents) || !this.#isListedPage(own)) return;
		const parts = contents.filter(isObject);
		const pages = parts.map(({ uri, mimeType, text, blob }) => ({ uri, mimeType, text, blob }));
		const metas = parts.map(({ _meta: meta }) => (isObject(meta) ? meta['ui'] : undefined));
		const inputSchema = { type: 'object', reaches: metas } as Tool['inputSchema'];
		const description = `sha256:${canonicalSha256(pages)}`;
		const reason = this.#pins.seen({ name: contentItem(own), description, inputSchema });
		if (reason !== undefined) throw new OrchestraError('bad_input', reason);
	}

	/** One that is listed, or of a tool. Others may be made for each read, and are without number. */
	#isListedPage(own: string): boolean {
		const { known } = this.#catalogue;
		if (known === undefined) return true;
		const { resources, tools } = known;
		return resources.some(({ uri }) => uri === own) || tools.some((tool) => pageOf(tool) === own);
	}

	/** The `taskSupport` of a tool. */
	taskSupport(own: string): 'optional' | 'required' | undefined {
		return taskSupportOf(this.#known(own));
	}

	/** Whether a call may be made again after its process ended. */
	isRepeatable(own: string): boolean {
		return claimsOf(this.#known(own)?.annotations).idempotent;
	}

	/**
	 * With `quarantine`: read the tools of a process before its first call, because it may be another version of the program.
	 * The result of a call that is refused, else undefined.
	 */
	get check():
		| ((connection: ServerConnection, tool: string) => Promise<CallToolResult | undefined>)
		| undefined {
		const pins = this.#pins;
		if (!pins.quarantines) return undefined;
		return async (connection, tool) => {
			const checked = this.#checked.get(connection) ?? this.#catalogue.read(connection, ['tools']);
			this.#checked.set(connection, checked);
			await checked.catch((error: unknown) => {
				this.#checked.delete(connection);
				throw error;
			});
			const reason = pins.quarantined?.get(tool);
			return reason === undefined ? undefined : failure(reason);
		};
	}

	#known(own: string): Tool | undefined {
		return this.#catalogue.known?.tools.find(({ name }) => name === own);
	}

	get #prefix(): string {
		return toolPrefix(this.#entry.name);
	}

	#published(given: string): string {
		return shortened(plainName(this.#entry.settings.prefix ? this.#prefix + given : given));
	}
}

/** The name of the instructions of a server among its tools, in pins and findings. No tool has such a name. */
export const INSTRUCTIONS = '(instructions)';

/** The name of a page of a server among its tools, by its own URI. */
export function pageItem(uri: string): string {
	return `(page ${uri})`;
}

/** Everything of a server that is put before a model or runs at the client: tools, instructions, and what pages may reach. */
export function reviewedItems(
	known: Pick<CachedServer, 'tools' | 'instructions' | 'resources'>,
): readonly Tool[] {
	const description = instructionsOf(known);
	const pages = known.resources.flatMap(({ uri, _meta: meta }): Tool[] => {
		const ui = isPage(uri) && isObject(meta) ? meta['ui'] : undefined;
		return isObject(ui) ? [{ name: pageItem(uri), inputSchema: ui as Tool['inputSchema'] }] : [];
	});
	const others = description === undefined ? [] : [{ name: INSTRUCTIONS, description, inputSchema: {} }];
	return others.length + pages.length === 0 ? known.tools : [...known.tools, ...others, ...pages];
}

/** The URI of the page of a tool, as its server has it. */
function pageOf({ _meta: meta }: Tool): unknown {
	const { ui, [OLD_PAGE_KEY]: old } = isObject(meta) ? meta : {};
	return (isObject(ui) ? ui['resourceUri'] : undefined) ?? old;
}

/** They may come from a file. */
function instructionsOf(known: Pick<CachedServer, 'instructions'> | undefined): string | undefined {
	const text: unknown = known?.instructions;
	return typeof text === 'string' ? text : undefined;
}

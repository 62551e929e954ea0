/*
 * The lists of all sources, and where a call goes: the source that has what it is about, and the
 * source's own name of it.
 *
 * Tools and prompts are looked up by name. A resource belongs to the owner of its form, the
 * source that lists it, one with a template for it, or one whose resources have the same
 * scheme.
 */
import type { OrchestraError } from '../../errors.ts';
import { resourceNotFound } from '../../mcp/define/definition-provider.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { after, calls } from '../../mcp/server/methods.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import type { Awaitable, Tool } from '../../protocol/mcp-types.ts';
import { matchTemplate } from '../../protocol/uri-template.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { toolPrefix } from '../../trust/tool-name.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { showsPages } from '../calls/adapt-apps.ts';
import type { HubCall, Target } from '../calls/hub-call.ts';
import type { Reader, Targets } from '../calls/middleware.ts';
import { able, qualifiesNames, type Source } from '../source.ts';
import { downReasonOf, withReasons } from '../source-status.ts';
import type { Catalogue } from './catalogue.ts';
import type { MergedList, Route } from './merged-list.ts';
import { isLabelled } from './names.ts';

export interface AllTargetsDeps {
	readonly sources: () => readonly Source[];
	readonly catalogue: Catalogue;
	/** A sentence: why the server of a tool is left out of the configuration. */
	readonly unusedReason?: ((tool: string) => string | undefined) | undefined;
	/** Whether a tool is in the view of the client of a call. */
	readonly isVisible: (route: Route<Tool>, context: CallContext) => boolean;
}

export class AllTargets implements Targets {
	readonly #deps: AllTargetsDeps;

	constructor(deps: AllTargetsDeps) {
		this.#deps = deps;
	}

	list(kind: ItemKind, reader?: Reader): Awaitable<MergedList<Item>> {
		const { catalogue } = this.#deps;
		return kind === 'tools' && reader?.soFar ? catalogue.toolsSoFar() : catalogue.list(kind);
	}

	find({ method, kind, name, context }: HubCall): Awaitable<Target> {
		const { capability, otherwise } = calls[method];
		return after(this.#find(kind, name), (found) => {
			if (found && (otherwise || found.source.capabilities.includes(capability))) return found;
			// A page calls the tools of its server by their own names.
			if (method !== 'tools/call' || !showsPages(context)) throw this.#unknown(kind, name);
			return after(this.#deps.catalogue.list('tools'), (list) => this.#toolOfPage(list, name, context));
		});
	}

	/** The tool that a server calls by this name. Throws when none has it, or several have. */
	#toolOfPage({ routes }: MergedList<Tool>, name: string, context: CallContext): Target {
		const named = [...routes].filter(
			([, route]) => route.name === name && this.#deps.isVisible(route, context),
		);
		const [first, ...others] = named;
		if (first === undefined) throw this.#unknown('tools', name);
		if (others.length === 0) return first[1];
		const candidates = named.map(([published]) => published).join(', ');
		throw rpcError(rpcCodes.invalidParams, `"${name}" may be any of ${candidates}. Call one of these.`);
	}

	/** The source that has a resource; undefined when there is none. */
	ownerOf(uri: string): Awaitable<Source | undefined> {
		const owner = this.#uriOwner(uri);
		if (owner) return owner;
		return this.#deps.catalogue.search(['resources', 'templates'], () => this.#listedOwner(uri));
	}

	/** The error of a call about an item that nothing has. */
	#unknown(kind: ItemKind, name: string): OrchestraError {
		const sources = this.#deps.sources();
		if (kind === 'resources' || kind === 'skills') return resourceNotFound(name);
		const unused = kind === 'tools' ? this.#deps.unusedReason?.(name) : undefined;
		const sentence = `Unknown ${kind === 'templates' ? 'resource template' : kind.slice(0, -1)}: ${name}`;
		if (unused !== undefined) return rpcError(rpcCodes.invalidParams, `${sentence}. ${unused}`);
		const text = kind === 'templates' ? sentence : withDownReasons(sentence, sources, name);
		return rpcError(rpcCodes.invalidParams, text);
	}

	#find(kind: ItemKind, name: string): Awaitable<Target | undefined> {
		const { catalogue } = this.#deps;
		if (kind === 'prompts') return catalogue.find(kind, name);
		if (kind === 'tools') return after(catalogue.find(kind, name), (route) => route ?? this.#downTool(name));
		const owner = kind === 'templates' ? this.#templateOwner(name) : this.ownerOf(name);
		return after(owner, (source) => source && { source, name });
	}

	#downTool(name: string): Target | undefined {
		const source = this.#deps.sources().find((each) => able(each, 'hasDownTool')?.hasDownTool(name));
		return source && { source, name };
	}

	#templateOwner(uri: string): Awaitable<Source | undefined> {
		const { catalogue } = this.#deps;
		return catalogue.search(['templates'], () =>
			after(catalogue.list('templates'), ({ routes }) => routes.get(uri)?.source ?? this.#uriOwner(uri)),
		);
	}

	#listedOwner(uri: string): Awaitable<Source | undefined> {
		const { catalogue, sources } = this.#deps;
		return after(catalogue.list('resources'), ({ routes }) => {
			const route = routes.get(uri);
			if (route) return route.source;
			return after(catalogue.list('templates'), (templates) => {
				const found = templates.items.find(({ uriTemplate }) => matchTemplate(uriTemplate, uri));
				if (found) return templates.routes.get(found.uriTemplate)?.source;
				const claiming = sources().filter((source) => able(source, 'ownsUri')?.claimsUri?.(uri));
				// One without the label of its server, in the text of a skill, must mean one skill.
				return isLabelled(uri) && claiming.length > 1 ? undefined : claiming[0];
			});
		});
	}

	/** The source that owns all URIs of this form. */
	#uriOwner(uri: string): Source | undefined {
		return this.#deps.sources().find((source) => able(source, 'ownsUri')?.ownsUri(uri));
	}
}

/** Append the sources that are down to a "not found" sentence: the missing item may be theirs. */
export function withDownReasons(sentence: string, sources: readonly Source[], name = ''): string {
	const mayHave = (source: Source): boolean =>
		!qualifiesNames(source) || name.startsWith(toolPrefix(source.id));
	return withReasons(
		sentence,
		sources.filter(mayHave).flatMap((source) => downReasonOf(source) ?? []),
	);
}

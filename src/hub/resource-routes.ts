/* Routes what has a URI: the owner of a resource, subscriptions and completions. */
import type { CallContext } from '../mcp/server/call-context.ts';
import { after } from '../mcp/server/methods.ts';
import type { Change, CompleteParams } from '../mcp/server/provider.ts';
import type { Awaitable, CompleteResult } from '../protocol/mcp-types.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { Backend } from './backends/backend.ts';
import type { Catalogue } from './catalogue.ts';
import { resourceOwner, templateOwner } from './resource-owner.ts';
import { RoutedSubscriptions } from './routed-subscriptions.ts';

export class ResourceRoutes {
	readonly #backends: () => readonly Backend[];
	readonly #catalogue: Catalogue;
	/** The resources that clients subscribed to. */
	readonly subscriptions: RoutedSubscriptions;

	/** @param onUpdate is called when updates of a resource may have been lost */
	constructor(backends: () => readonly Backend[], catalogue: Catalogue, onUpdate: (change: Change) => void) {
		this.#backends = backends;
		this.#catalogue = catalogue;
		const ownerOf = (uri: string): Awaitable<Backend | undefined> => this.backendOf(uri);
		this.subscriptions = new RoutedSubscriptions({
			backends,
			ownerOf,
			waitMs: () => catalogue.waitMs,
			onUpdate,
		});
	}

	/** The backend that reads this URI; undefined when none does. */
	backendOf(uri: string): Awaitable<Backend | undefined> {
		return resourceOwner(uri, this.#backends(), this.#catalogue);
	}

	complete(params: CompleteParams, context: CallContext): Awaitable<CompleteResult> {
		const { ref } = params;
		if (ref.type === 'ref/prompt') {
			return after(this.#catalogue.prompt(ref.name ?? ''), (route) => {
				if (route === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown prompt: ${ref.name ?? ''}`);
				return (
					route.backend.complete?.({ ...params, ref: { ...ref, name: route.name } }, context) ??
					nothingToComplete
				);
			});
		}
		const uri = ref.uri ?? '';
		return after(templateOwner(uri, this.#backends(), this.#catalogue), (backend) => {
			if (backend === undefined) throw rpcError(rpcCodes.invalidParams, `Unknown resource template: ${uri}`);
			return backend.complete?.(params, context) ?? nothingToComplete;
		});
	}
}

const nothingToComplete: CompleteResult = { completion: { values: [], total: 0, hasMore: false } };

/* Routes what has a URI: the owner of a resource, subscriptions and completions. */
import type { CallContext } from '../mcp/server/call-context.ts';
import { after } from '../mcp/server/methods.ts';
import type { CompleteParams } from '../mcp/server/provider.ts';
import { ResourceSubscriptions } from '../mcp/server/resource-subscriptions.ts';
import type { Awaitable, CompleteResult } from '../protocol/mcp-types.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { Backend } from './backends/backend.ts';
import type { Catalogue } from './catalogue.ts';
import { resourceOwner, templateOwner } from './resource-owner.ts';

export class ResourceRoutes {
	readonly #backends: () => readonly Backend[];
	readonly #catalogue: Catalogue;
	readonly #subscriptions = new ResourceSubscriptions();

	constructor(backends: () => readonly Backend[], catalogue: Catalogue) {
		this.#backends = backends;
		this.#catalogue = catalogue;
	}

	/** The backend that reads this URI; undefined when none does. */
	backendOf(uri: string): Awaitable<Backend | undefined> {
		return resourceOwner(uri, this.#backends(), this.#catalogue);
	}

	/** Backends are notified of the first subscriber and of the last one, over all clients. */
	subscribe(uri: string, isSubscribed: boolean): void {
		if (!this.#subscriptions.change(uri, isSubscribed)) return;
		const notify = (owner: Backend | undefined): void => {
			for (const backend of owner ? [owner] : this.#backends())
				backend.subscribeResource?.(uri, isSubscribed);
		};
		const owner = this.backendOf(uri);
		if (owner instanceof Promise) void owner.catch(() => undefined).then(notify);
		else notify(owner);
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

/* Client requests: the capability that each needs, and which answers count. */

import { OrchestraError } from '../../errors.ts';
import type { InputRequest } from '../../protocol/mcp-types.ts';
import { mcpCodes } from '../../protocol/meta.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject, ownEntry } from '../../wire/json.ts';
import type { CallContext } from './call-context.ts';

type Capabilities = Readonly<Record<string, unknown>>;

/** Client requests by key; their answers have the same keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>;

/** The answers of a client, by the keys of the client requests. */
export type InputResponses = Readonly<Record<string, unknown>>;

/** How a call asks its client for input, and the answers that came with the request. */
export interface Asking {
	asker?: {
		ask(inputRequests: InputRequests, context: CallContext, signal?: AbortSignal): Promise<InputResponses>;
	};
	inputResponses?: InputResponses | undefined;
	requestState?: string | undefined;
	/** Proven, not claimed by the client: an earlier round of this call returned client requests. Default false. */
	isContinued?: boolean;
}

/** Throws -32021 with the missing capability when the client cannot answer all client requests. */
export function requireCapabilities(inputRequests: InputRequests, capabilities: Capabilities): void {
	for (const request of Object.values(inputRequests)) {
		const [name, feature] = neededFor(request);
		const declared = ownEntry(capabilities, name);
		if (isObject(declared) && isCovered(declared, feature)) continue;
		const label = feature === undefined ? name : `${name}.${feature}`;
		throw rpcError(mcpCodes.missingClientCapability, `the client did not declare the capability ${label}`, {
			requiredCapabilities: { [name]: feature === undefined ? {} : { [feature]: {} } },
		});
	}
}

/** Whether every client request has an answer; an answer is an object under the same key. */
export function areAnswered(inputRequests: InputRequests, responses: Capabilities): boolean {
	return Object.keys(inputRequests).every((key) => Object.hasOwn(responses, key) && isObject(responses[key]));
}

function neededFor({ method, params }: InputRequest): [name: string, feature?: string] {
	switch (method) {
		case 'elicitation/create':
			return ['elicitation', params?.['mode'] === 'url' ? 'url' : 'form'];
		case 'sampling/createMessage':
			return params?.['tools'] === undefined ? ['sampling'] : ['sampling', 'tools'];
		case 'roots/list':
			return ['roots'];
		default:
			throw new OrchestraError('internal', `${method} is not a request that a client can answer`, {
				hint: 'Use elicitation/create, sampling/createMessage or roots/list.',
			});
	}
}

/** Elicitation without a declared mode means forms. */
function isCovered(declared: Capabilities, feature: string | undefined): boolean {
	if (feature === undefined || Object.hasOwn(declared, feature)) return true;
	return feature === 'form' && !Object.hasOwn(declared, 'url');
}

/* Questions to the client: what each needs the client to be able to do, and what counts as an answer. */
import { OrchestraError } from '../../errors.ts';
import type { InputRequest } from '../../protocol/mcp-types.ts';
import { mcpCodes } from '../../protocol/meta.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject, ownEntry } from '../../wire/json.ts';

type Capabilities = Readonly<Record<string, unknown>>;

/** The questions of one turn, by the keys that their answers will come under. */
export type Questions = Readonly<Record<string, InputRequest>>;

/** Throws -32021, naming what is missing, when the client did not say that it can answer all of this. */
export function requireCapabilities(questions: Questions, capabilities: Capabilities): void {
	for (const question of Object.values(questions)) {
		const [name, feature] = neededFor(question);
		const declared = ownEntry(capabilities, name);
		if (isObject(declared) && isCovered(declared, feature)) continue;
		const label = feature === undefined ? name : `${name}.${feature}`;
		throw rpcError(mcpCodes.missingClientCapability, `the client did not declare the capability ${label}`, {
			requiredCapabilities: { [name]: feature === undefined ? {} : { [feature]: {} } },
		});
	}
}

/** Whether every question has an answer; an answer is an object under the key of its question. */
export function areAnswered(questions: Questions, responses: Capabilities): boolean {
	return Object.keys(questions).every((key) => Object.hasOwn(responses, key) && isObject(responses[key]));
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
			throw new OrchestraError('internal', `${method} cannot be asked of a client`, {
				hint: 'Use elicitation/create, sampling/createMessage or roots/list.',
			});
	}
}

/** A client that names no mode of elicitation can do forms. */
function isCovered(declared: Capabilities, feature: string | undefined): boolean {
	if (feature === undefined || Object.hasOwn(declared, feature)) return true;
	return feature === 'form' && !Object.hasOwn(declared, 'url');
}

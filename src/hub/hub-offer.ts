/* What backends offer together, and the error for what they do not. */
import type { OrchestraError } from '../errors.ts';
import type { ServerCapabilities } from '../protocol/mcp-types.ts';
import { rpcError } from '../rpc/rpc-error.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { Backend } from './backends/backend.ts';
import { qualifiedName } from './names.ts';

/** The capabilities of all backends together. */
export function capabilitiesFor(backends: readonly Backend[]): ServerCapabilities {
	const has = (method: keyof Backend): boolean => backends.some((backend) => backend[method] !== undefined);
	return {
		tools: { listChanged: true },
		...(has('listPrompts') ? { prompts: { listChanged: true } } : {}),
		...(has('readResource') ? { resources: { listChanged: true, subscribe: true } } : {}),
		...(has('complete') ? { completions: {} } : {}),
		logging: {},
	};
}

/** The error of a call to a tool that no backend lists. @param unused a sentence: why its server is left out of the configuration */
export function unknownTool(
	name: string,
	backends: readonly Backend[],
	unused: string | undefined,
): OrchestraError {
	const [unlisted] = backends.flatMap((backend) => backend.unlistedReason?.(name) ?? []);
	const reason = unlisted ?? (unused && `Unknown tool: ${name}. ${unused}`);
	return rpcError(rpcCodes.invalidParams, reason ?? withDownReasons(`Unknown tool: ${name}`, backends, name));
}

/** The error of a prompt that no backend lists. */
export function unknownPrompt(name: string, backends: readonly Backend[]): OrchestraError {
	return rpcError(rpcCodes.invalidParams, withDownReasons(`Unknown prompt: ${name}`, backends, name));
}

/** Append the backends that are down to a "not found" sentence: the missing item may be theirs. */
export function withDownReasons(sentence: string, backends: readonly Backend[], name = ''): string {
	const mayHave = ({ id, qualifiesNames }: Backend): boolean =>
		!qualifiesNames || name.startsWith(qualifiedName(id, ''));
	const reasons = backends.filter(mayHave).flatMap(({ downReason }) => downReason ?? []);
	if (reasons.length === 0) return sentence;
	return `${sentence}. It may belong to a plugin that is down: ${reasons.join('; ')}`;
}

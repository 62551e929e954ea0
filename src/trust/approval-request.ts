/* A call that waits for a person, as it is shown and as it is bound. */
import { printableLine, readableJson } from '../printable.ts';
import { redact } from '../redact.ts';
import { isObject } from '../wire/json.ts';
import { canonicalSha256 } from './canonical-json.ts';

/** How long a person may take, and how long an approval of a caller that left can be used, in milliseconds. */
export const APPROVAL_MS: number = 5 * 60_000;

const SHOWN_ARGUMENTS = 30;
const SHOWN_CHARACTERS = 400;
/** Longest `argumentText`. */
const TEXT_CHARACTERS: number = 64 * 1024;

/** What an approval is valid for. Another value of any field is another approval. */
export interface ApprovalBinding {
	readonly client: string;
	/** The MCP session of the client. */
	readonly session: string;
	readonly tool: string;
	/** SHA-256 of the canonical arguments. */
	readonly argumentsSha256: string;
	readonly policyVersion: string;
}

/** A request for approval. */
export interface ApprovalRequest extends ApprovalBinding {
	readonly id: string;
	/** Lines with the arguments, shortened, without secrets, with control characters escaped. */
	readonly shown: readonly string[];
	/** The arguments for a person to read before the decision, without secrets: `argumentText`. */
	readonly argumentText: string;
	/** The rule that asks, as `file:line`. */
	readonly rule: string;
	readonly reason: string | undefined;
	/** The folder of the configuration. */
	readonly root: string;
	/** The process that waits. */
	readonly pid: number;
	/** ISO 8601. */
	readonly askedAt: string;
	readonly expiresAt: string;
}

/** The key of a binding. */
export function bindingKey(binding: ApprovalBinding): string {
	const { client, session, tool, argumentsSha256, policyVersion } = binding;
	return canonicalSha256([client, session, tool, argumentsSha256, policyVersion]);
}

/** The arguments as lines for a person: one for each, shortened with the number of characters left out. */
export function argumentLines(input: unknown): string[] {
	const entries = isObject(input) ? Object.entries(input) : [];
	const lines = entries
		.slice(0, SHOWN_ARGUMENTS)
		.map(([name, value]) => printableLine(`${shortened(name)}: ${shortened(JSON.stringify(value) ?? '')}`));
	const more = entries.length - SHOWN_ARGUMENTS;
	return more > 0 ? [...lines, `… and ${more} more arguments`] : lines;
}

/** The arguments as `readableJson`. Above 64 Ki characters the rest is left out, and the last line says so. */
export function argumentText(input: unknown): string {
	const json = JSON.stringify(input, undefined, 2) ?? '';
	// A secret at the cut is whole in the longer text.
	const text = readableJson(redact(json.slice(0, 2 * TEXT_CHARACTERS)));
	if (json.length <= TEXT_CHARACTERS) return text;
	return `${text.slice(0, TEXT_CHARACTERS)}\n… shortened: the arguments have ${json.length} characters`;
}

function shortened(text: string): string {
	const more = text.length - SHOWN_CHARACTERS;
	const safe = redact(text.slice(0, 2 * SHOWN_CHARACTERS));
	return more > 0 ? `${safe.slice(0, SHOWN_CHARACTERS)}… (${more} more characters)` : safe;
}

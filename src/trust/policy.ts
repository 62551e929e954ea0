/*
 * Which rule decides about a call.
 *
 * The first rule that matches wins; without one the call is allowed. A rule with `when`
 * depends on claims of the server. So it does not end the search: it can only make the
 * decision stricter, and the rules after it count until the first one without `when`.
 * Each file is decided on its own, and the strictest decision counts: a project cannot
 * allow what the user's own file refuses.
 */
import type { PolicyAction, PolicyRule, ToolClaims } from '../config/configuration.ts';
import { canonicalSha256 } from './canonical-json.ts';
import { matchesWildcard } from './wildcard.ts';

/** What rules look at. */
export interface PolicyFacts {
	readonly tool: string;
	readonly client: string;
	/** The annotations of the tool, as its server sent them. */
	readonly annotations: Readonly<Record<string, unknown>> | undefined;
}

export interface PolicyDecision {
	readonly action: PolicyAction;
	/** The rule that decided; undefined when none matched. */
	readonly rule: PolicyRule | undefined;
}

const strictness: Readonly<Record<PolicyAction, number>> = { allow: 0, ask: 1, deny: 2 };
const byDefault: PolicyDecision = { action: 'allow', rule: undefined };

export class Policy {
	readonly #lists: readonly (readonly PolicyRule[])[];
	#version: string | undefined;

	constructor(lists: readonly (readonly PolicyRule[])[]) {
		this.#lists = lists;
	}

	get isEmpty(): boolean {
		return this.#lists.every((rules) => rules.length === 0);
	}

	/** Whether a rule leaves tools out of lists. */
	get hidesTools(): boolean {
		return this.#lists.some((rules) => rules.some(({ hide }) => hide));
	}

	/** The same for the same rules, whatever their lines. */
	get version(): string {
		this.#version ??= canonicalSha256(
			this.#lists.map((rules) => rules.map(({ file: _file, line: _line, ...rule }) => rule)),
		);
		return this.#version;
	}

	decide(facts: PolicyFacts): PolicyDecision {
		const claims = claimsOf(facts.annotations);
		return this.#lists.map((rules) => decideIn(rules, facts, claims)).reduce(stricter, byDefault);
	}

	/** Whether a client sees the tool in lists. */
	isListed(facts: PolicyFacts): boolean {
		return this.decide(facts).rule?.hide !== true;
	}
}

/** The claims of a tool, with the defaults of the protocol: what is not said counts as dangerous. */
export function claimsOf(annotations: PolicyFacts['annotations'] = {}): ToolClaims {
	const readOnly = annotations['readOnlyHint'] === true;
	return {
		readOnly,
		destructive: !readOnly && annotations['destructiveHint'] !== false,
		openWorld: annotations['openWorldHint'] !== false,
		idempotent: readOnly || annotations['idempotentHint'] === true,
	};
}

function decideIn(rules: readonly PolicyRule[], facts: PolicyFacts, claims: ToolClaims): PolicyDecision {
	let decision: PolicyDecision | undefined;
	for (const rule of rules) {
		if (!isMatch(rule, facts, claims)) continue;
		const { action, when } = rule;
		decision = decision ? stricter(decision, { action, rule }) : { action, rule };
		if (when === undefined) break;
	}
	return decision ?? byDefault;
}

function isMatch({ tools, clients, when }: PolicyRule, facts: PolicyFacts, claims: ToolClaims): boolean {
	return (
		tools.some((pattern) => matchesWildcard(pattern, facts.tool)) &&
		clients.some((pattern) => matchesWildcard(pattern, facts.client)) &&
		(when === undefined || areClaimed(when, claims))
	);
}

function areClaimed(when: Partial<ToolClaims>, claims: ToolClaims): boolean {
	return Object.entries(when).every(([name, value]) => claims[name as keyof ToolClaims] === value);
}

/** The stricter of two decisions; of equal ones that with a rule, then the first. */
function stricter(one: PolicyDecision, other: PolicyDecision): PolicyDecision {
	const difference = strictness[other.action] - strictness[one.action];
	if (difference > 0) return other;
	return difference === 0 && one.rule === undefined ? other : one;
}

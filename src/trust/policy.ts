/*
 * Which rule decides about a call.
 *
 * The first rule that matches wins; without one the call is allowed. A rule with `when`
 * depends on claims of the server. So it does not end the search: it can only make the
 * decision stricter, and the rules after it count until the first one without `when`.
 * Each file is decided on its own, and the strictest decision counts: a project cannot
 * allow what the user's own file refuses.
 */
import type { Configuration, PolicyAction, PolicyRule, ToolClaims } from '../config/configuration.ts';
import { canonicalSha256 } from '../wire/canonical-json.ts';
import { type NamedTool, ServerNames, serverNamesOf } from './tool-name.ts';
import { anyToolPattern, type ToolTest } from './tool-pattern.ts';
import { wildcard } from './wildcard.ts';

/** The facts that rules look at. */
export interface PolicyFacts {
	readonly tool: NamedTool;
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

/** A rule whose patterns are read. */
interface ReadRule {
	readonly rule: PolicyRule;
	readonly isTool: ToolTest;
	readonly isClient: (client: string) => boolean;
}

export class Policy {
	readonly #lists: readonly (readonly PolicyRule[])[];
	/** The servers that its patterns may name. */
	readonly servers: ServerNames;
	#read: readonly (readonly ReadRule[])[] | undefined;
	#version: string | undefined;

	constructor(lists: readonly (readonly PolicyRule[])[], servers: ServerNames = new ServerNames([])) {
		this.#lists = lists;
		this.servers = servers;
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
		return this.#rules.map((rules) => decideIn(rules, facts, claims)).reduce(stricter, byDefault);
	}

	/** The rules about one of these tools, for any client. */
	rulesAbout(tools: readonly NamedTool[]): PolicyRule[] {
		const isAbout = ({ isTool }: ReadRule): boolean => tools.some(isTool);
		return this.#rules.flat().flatMap((read) => (isAbout(read) ? [read.rule] : []));
	}

	/** Whether a client sees the tool in lists. */
	isListed(facts: PolicyFacts): boolean {
		return this.decide(facts).rule?.hide !== true;
	}

	get #rules(): readonly (readonly ReadRule[])[] {
		this.#read ??= this.#lists.map((rules) => rules.map((rule) => readRule(rule, this.servers)));
		return this.#read;
	}
}

function readRule(rule: PolicyRule, servers: ServerNames): ReadRule {
	const clients = rule.clients.map(wildcard);
	const isClient = (client: string): boolean => clients.some((test) => test(client));
	return { rule, isTool: anyToolPattern(rule.tools, servers), isClient };
}

/** The policy of a configuration. */
export function policyOf({ policy, mcpServers }: Pick<Configuration, 'policy' | 'mcpServers'>): Policy {
	return new Policy(policy, serverNamesOf(mcpServers));
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

function decideIn(rules: readonly ReadRule[], facts: PolicyFacts, claims: ToolClaims): PolicyDecision {
	let decision: PolicyDecision | undefined;
	for (const read of rules) {
		if (!isMatch(read, facts, claims)) continue;
		const { rule } = read;
		const { action, when } = rule;
		decision = decision ? stricter(decision, { action, rule }) : { action, rule };
		if (when === undefined) break;
	}
	return decision ?? byDefault;
}

function isMatch({ rule, isTool, isClient }: ReadRule, facts: PolicyFacts, claims: ToolClaims): boolean {
	const { when } = rule;
	return isTool(facts.tool) && isClient(facts.client) && (when === undefined || areClaimed(when, claims));
}

function areClaimed(when: NonNullable<PolicyRule['when']>, claims: ToolClaims): boolean {
	return Object.entries(when).every(([name, value]) => claims[name as keyof ToolClaims] === value);
}

/** The stricter of two decisions; of equal ones that with a rule, then the first. */
function stricter(one: PolicyDecision, other: PolicyDecision): PolicyDecision {
	const difference = strictness[other.action] - strictness[one.action];
	if (difference > 0) return other;
	return difference === 0 && one.rule === undefined ? other : one;
}

/*
 * A rule about tools that a user writes, from a terminal or from the dashboard.
 *
 * It goes to `orchestra.json` of the project, else to the file of the user: an `.mcp.json`
 * belongs to other programs too. Each file is decided on its own and the strictest
 * decision counts, so `stricterDecision` says when the new rule changes nothing.
 */
import { basename } from 'node:path';
import type { PolicyAction } from '../config/configuration.ts';
import { type EntryScope, serverFiles } from '../config/edit/editable-files.ts';
import { addPolicyRule, type NewRule } from '../config/edit-policy.ts';
import { loadConfiguration } from '../config/load.ts';
import { OrchestraError } from '../errors.ts';
import type { WrittenRule } from './decide-approval.ts';
import { type PolicyDecision, policyOf } from './policy.ts';
import { POLICY_PATTERN_CHARACTERS } from './trust-limits.ts';

export const policyActions: readonly PolicyAction[] = ['allow', 'ask', 'deny'];

/** Where a rule goes. */
export interface PolicyPlace {
	readonly cwd: string;
	/** Default: the project when it has an `orchestra.json`, else the user. */
	readonly scope?: EntryScope | undefined;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** The file that gets a new rule. */
export function policyFile({ cwd, scope, environment }: PolicyPlace): string | undefined {
	if (scope !== 'user') {
		const [file] = serverFiles('project', cwd, environment);
		const isOurs = file?.bytes !== undefined && basename(file.path) === 'orchestra.json';
		if (file !== undefined && (isOurs || scope === 'project')) return file.path;
	}
	return serverFiles('user', cwd, environment)[0]?.path;
}

/** Write the rule before the others of its file. Throws `bad_input` for a pattern or a file that cannot be used. */
export async function changePolicy(rule: NewRule, place: PolicyPlace): Promise<WrittenRule> {
	for (const pattern of [rule.tools, rule.clients]) assertPattern(pattern);
	const file = policyFile(place);
	if (file === undefined)
		throw new OrchestraError('bad_input', 'there is no file for the rule', {
			hint: 'Make one in this folder: mctl init',
		});
	return { file, ...(await addPolicyRule(file, rule, place.environment, { isPattern: true })) };
}

/** What counts in place of the rule for this tool, read from the files; undefined when the rule counts. */
export function stricterDecision(
	{ action }: Pick<NewRule, 'action'>,
	{ tool, client }: { tool: string; client: string },
	{ cwd, environment }: PolicyPlace,
): PolicyDecision | undefined {
	const policy = policyOf(loadConfiguration({ cwd, environment }).configuration);
	const decision = policy.decide({ tool: policy.servers.read(tool), client, annotations: undefined });
	return decision.action === action ? undefined : decision;
}

function assertPattern(pattern: string): void {
	if (pattern !== '' && pattern.length <= POLICY_PATTERN_CHARACTERS && !/[\\\s\p{Cc}]/u.test(pattern)) return;
	throw new OrchestraError('bad_input', `${JSON.stringify(pattern)} is not a pattern of names`, {
		hint: 'Write a name, or a pattern with *, as in files__write*.',
	});
}

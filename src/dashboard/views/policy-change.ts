/* A rule that the page writes: about one tool of a source, or about all tools of an MCP server. */
import type { NewRule } from '../../config/edit-policy.ts';
import { userFile } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import {
	changePolicy,
	type PolicyPlace,
	policyActions,
	policyFile,
	stricterDecision,
} from '../../trust/change-policy.ts';
import type { PolicyTarget } from '../api/api-catalogue.ts';
import type { DoneReply } from '../api/api-types.ts';
import { policyCommand } from '../commands/mctl-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import { type CatalogueView, DASHBOARD_CLIENT } from './catalogue-view.ts';

/** A name with these is not the name itself in a rule. */
const PATTERN = /[*\\]/;

/** About a project file that stays untrusted when a rule is added. */
export function untrustedText(reason: string | undefined): string {
	return reason === undefined ? '' : ` The file is not trusted, because ${reason}: mctl trust`;
}

type Deps = Pick<DashboardDeps, 'environment' | 'opened'>;

/** The text and the file of a rule about all tools of a server; null for a source without a prefix. */
export function ruleOfServer(server: string, deps: Deps): PolicyTarget | null {
	const { mcpServers } = deps.opened.configuration();
	const isNamed = mcpServers.some(({ name }) => name === server) && !PATTERN.test(server);
	return isNamed ? targetOf(server, `${server}__*`, deps) : null;
}

/** The same for one tool. Null for a name with a star, which would be a pattern. */
export function ruleOfTool(server: string, tool: string, deps: Deps): PolicyTarget | null {
	return PATTERN.test(tool) ? null : targetOf(server, tool, deps);
}

/** Write the rule. Throws `not_found` for a server or tool that there is not. */
export async function writeRule(
	{ server, tool, action }: Readonly<Record<string, unknown>>,
	deps: Deps & { readonly catalogue: CatalogueView },
): Promise<DoneReply> {
	const known = policyActions.find((each) => each === action);
	if (known === undefined || typeof server !== 'string' || (tool !== undefined && typeof tool !== 'string'))
		throw new OrchestraError('bad_input', 'a rule needs "server" and "action"', {
			hint: 'Send {"server": "…", "tool": "…", "action": "allow"}; without "tool" it is about all of them.',
		});
	const isListed =
		tool === undefined ||
		(await deps.catalogue.rowsOf(server)).some(([kind, name]) => kind === 'tool' && name === tool);
	const target = tool === undefined ? ruleOfServer(server, deps) : ruleOfTool(server, tool, deps);
	if (target === null || !isListed)
		throw new OrchestraError('not_found', `a rule cannot name ${tool ?? `all tools of "${server}"`}`, {
			hint: 'Write it by hand: docs/policy.md.',
		});
	const { tools, isOfUser } = target;
	const rule = { tools, clients: '*', action: known };
	const place = placeOf(isOfUser, deps);
	const { file, text, untrusted } = await changePolicy(rule, place);
	await deps.opened.reload();
	const message = `${text} is the first rule of ${file}.${untrustedText(untrusted)}${stricterText(rule, place)}`;
	return { isDone: true, command: policyCommand(tools, known, isOfUser), message };
}

/** Another file may have a stricter rule. */
function stricterText(rule: NewRule, place: PolicyPlace): string {
	if (rule.tools.includes('*')) return '';
	const stricter = stricterDecision(rule, { tool: rule.tools, client: DASHBOARD_CLIENT }, place);
	if (!stricter?.rule) return '';
	const { file, line } = stricter.rule;
	return ` But ${file}:${line} counts for ${rule.tools}: ${stricter.action}`;
}

function targetOf(server: string, tools: string, deps: Deps): PolicyTarget {
	const { mcpServers, plugins } = deps.opened.configuration();
	const entry = mcpServers.find(({ name }) => name === server) ?? plugins.find(({ id }) => id === server);
	const isOfUser = entry !== undefined && entry.file === userFile(deps.environment);
	return { tools, isOfUser, file: policyFile(placeOf(isOfUser, deps)) ?? null };
}

/** A rule goes where the server is configured. */
function placeOf(isOfUser: boolean, { environment, opened }: Deps): PolicyPlace {
	return { cwd: opened.configuration().root, environment, ...(isOfUser && { scope: 'user' }) };
}

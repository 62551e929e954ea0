/* A rule that the page writes: about one tool of a source, or about all tools of an MCP server. */
import type { PolicyAction } from '../../config/configuration.ts';
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

export class PolicyChange {
	readonly #deps: DashboardDeps;
	readonly #catalogue: CatalogueView;

	constructor(deps: DashboardDeps, catalogue: CatalogueView) {
		this.#deps = deps;
		this.#catalogue = catalogue;
	}

	/** The text and the file of a rule about all tools of a server; null for a source without a prefix. */
	ofServer(server: string): PolicyTarget | null {
		const { mcpServers } = this.#deps.opened.configuration();
		const isNamed = mcpServers.some(({ name }) => name === server) && !PATTERN.test(server);
		return isNamed ? this.#target(server, `${server}__*`) : null;
	}

	/** The same for one tool. Null for a name with a star, which would be a pattern. */
	ofTool(server: string, tool: string): PolicyTarget | null {
		return PATTERN.test(tool) ? null : this.#target(server, tool);
	}

	/** Write the rule. Throws `not_found` for a server or tool that there is not. */
	async write({ server, tool, action }: Readonly<Record<string, unknown>>): Promise<DoneReply> {
		const known = policyActions.find((each) => each === action);
		if (known === undefined || typeof server !== 'string' || (tool !== undefined && typeof tool !== 'string'))
			throw new OrchestraError('bad_input', 'a rule needs "server" and "action"', {
				hint: 'Send {"server": "…", "tool": "…", "action": "allow"}; without "tool" it is about all of them.',
			});
		const target = tool === undefined ? this.ofServer(server) : await this.#listedTool(server, tool);
		if (target === null)
			throw new OrchestraError('not_found', `a rule cannot name ${tool ?? `all tools of "${server}"`}`, {
				hint: 'Write it by hand: docs/policy.md.',
			});
		return this.#write(target, known);
	}

	async #write({ tools, isOfUser }: PolicyTarget, action: PolicyAction): Promise<DoneReply> {
		const rule = { tools, clients: '*', action };
		const { file, text, untrusted } = await changePolicy(rule, this.#place(isOfUser));
		await this.#deps.opened.reload();
		const notes = `${untrustedText(untrusted)}${this.#stricterNote(rule, isOfUser)}`;
		const message = `${text} is the first rule of ${file}.${notes}`;
		return { isDone: true, command: policyCommand(tools, action, isOfUser), message };
	}

	/** Another file may have a stricter rule. */
	#stricterNote(rule: NewRule, isOfUser: boolean): string {
		if (rule.tools.includes('*')) return '';
		const probe = { tool: rule.tools, client: DASHBOARD_CLIENT };
		const stricter = stricterDecision(rule, probe, this.#place(isOfUser));
		if (!stricter?.rule) return '';
		const { file, line } = stricter.rule;
		return ` But ${file}:${line} counts for ${rule.tools}: ${stricter.action}`;
	}

	async #listedTool(server: string, tool: string): Promise<PolicyTarget | null> {
		const rows = await this.#catalogue.rowsOf(server);
		const isListed = rows.some(([kind, name]) => kind === 'tool' && name === tool);
		return isListed ? this.ofTool(server, tool) : null;
	}

	#target(server: string, tools: string): PolicyTarget {
		const { mcpServers, plugins } = this.#deps.opened.configuration();
		const entry = mcpServers.find(({ name }) => name === server) ?? plugins.find(({ id }) => id === server);
		const isOfUser = entry !== undefined && entry.file === userFile(this.#deps.environment);
		return { tools, isOfUser, file: policyFile(this.#place(isOfUser)) ?? null };
	}

	/** A rule goes where the server is configured. */
	#place(isOfUser: boolean): PolicyPlace {
		const { environment, opened } = this.#deps;
		return { cwd: opened.configuration().root, environment, ...(isOfUser && { scope: 'user' }) };
	}
}

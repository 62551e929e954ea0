/* `mctl policy add` writes a rule about tools, `mctl policy test` says which rule decides about a call; neither starts or calls anything. */

import { loadConfiguration } from '../../config/load.ts';
import { OrchestraError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import { inputFromArgs } from '../../tool/input.ts';
import { changePolicy, policyActions, stricterDecision } from '../../trust/change-policy.ts';
import { claimsOf, type PolicyDecision, policyOf } from '../../trust/policy.ts';
import { canonicalSha256 } from '../../wire/canonical-json.ts';
import { type Command, type CommandPlace, jsonFlag, textFlag, usageError } from '../command.ts';
import { editFlags, scopeOf, warnUntrusted } from '../edit/edit-servers.ts';
import { knownToolNamed } from '../learn/server-statuses.ts';
import { printProblems, problemsOfCalls } from '../problem-lines.ts';
import { openProject } from '../target/project.ts';

export const policyAdd: Command = {
	usage: 'mctl policy add <tool> allow|ask|deny [--client NAME] [--hide] [-s project|user] [--json]',
	examples: ["mctl policy add 'files__write*' ask", 'mctl policy add db__drop deny --scope user'],
	flags: {
		client: { value: 'NAME', help: 'only for this client; a pattern (default *)' },
		hide: { help: 'with deny: leave the tools out of lists too' },
		...editFlags,
	},
	args: [2, 2, 'a tool, or a pattern, and allow, ask or deny'],

	async run(input) {
		const { args, flags, out, cwd, environment } = input;
		const [tools = '', wanted] = args;
		const action = policyActions.find((each) => each === wanted);
		if (action === undefined)
			throw usageError(policyAdd, `there is no action "${wanted}": use allow, ask or deny`);
		const clients = textFlag(input, 'client') ?? '*';
		const place = { cwd, scope: scopeOf(input, policyAdd), environment };
		if (flags['hide'] && action !== 'deny') throw usageError(policyAdd, '--hide is for deny');
		const rule = { tools, clients, action, ...(flags['hide'] === true && { hide: true as const }) };
		const { file, text, untrusted } = await changePolicy(rule, place);
		if (flags['json']) out.json({ schema: 'orchestra.policy-add/1', ...rule, file });
		else out.line(printable(`${text} is the first rule of ${file}`));
		warnUntrusted(out, file, untrusted);
		if (tools.includes('*')) return;
		const client = clients.includes('*') ? 'mctl' : clients;
		const stricter = stricterDecision(rule, { tool: tools, client }, place);
		if (stricter?.rule)
			out.info(`note: ${stricter.rule.file}:${stricter.rule.line} counts for ${tools}: ${stricter.action}`);
	},
};

export const policyTest: Command = {
	usage: 'mctl policy test <tool> [key=value…] [--client NAME] [--json]',
	examples: ['mctl policy test files__write_file', 'mctl policy test db__drop --client claude-code'],
	flags: {
		client: { value: 'NAME', help: 'the name of the client (default mctl)' },
		json: jsonFlag,
	},
	args: [1, Number.POSITIVE_INFINITY, 'the name of a tool'],

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const [tool = '', ...rest] = input.args;
		const { configuration, problems } = loadConfiguration({ cwd, environment });
		printProblems(problemsOfCalls(problems), out);
		const client = textFlag(input, 'client') ?? 'mctl';
		const found = annotationsOf(tool, { cwd, environment });
		const policy = policyOf(configuration);
		const decision = policy.decide({
			tool: policy.servers.read(tool),
			client,
			annotations: found?.annotations,
		});
		const { action, rule } = decision;
		if (flags['json']) {
			const argumentsSha256 = canonicalSha256(inputFromArgs(rest));
			const claims = claimsOf(found?.annotations);
			const facts = { tool, client, isKnown: found !== undefined, claims, argumentsSha256 };
			return out.json({ schema: 'orchestra.policy-test/1', ...facts, action, rule: rule ?? null });
		}
		out.line(printable(`${tool} from ${client}: ${action}`));
		out.line(printable(`  ${why(decision)}`));
		const names = Object.entries(claimsOf(found?.annotations)).map(([name, value]) => `${name} ${value}`);
		out.line(`  claims: ${names.join(', ')}`);
		if (found === undefined)
			out.info(`mctl: ${printable(tool)} is not known here, so its claims count as the dangerous case`);
	},
};

function why({ rule }: PolicyDecision): string {
	if (rule === undefined) return 'no rule matches, and the default is allow';
	const { file, line, tools, clients, when, reason } = rule;
	const claims = when === undefined ? '' : ` when ${JSON.stringify(when)}`;
	const because = reason === undefined ? '' : ` (${reason})`;
	return `${file}:${line}: tools ${tools.join(', ')}, clients ${clients.join(', ')}${claims}${because}`;
}

/** The annotations of a tool of this folder or of a server that was seen before; undefined when it is unknown. */
function annotationsOf(
	name: string,
	{ cwd, environment }: CommandPlace,
): { annotations: Readonly<Record<string, unknown>> | undefined } | undefined {
	try {
		const own = openProject({ cwd, environment }).tools.find(({ id }) => id === name);
		const found = own ?? knownToolNamed({ cwd, environment }, name);
		return found && { annotations: found.annotations };
	} catch (error) {
		if (OrchestraError.is(error, 'bad_input')) return undefined; // a folder that cannot be read
		throw error;
	}
}

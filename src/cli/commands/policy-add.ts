/* `mctl policy add`: write a rule about tools. */
import { printable } from '../../printable.ts';
import { changePolicy, policyActions, stricterDecision } from '../../trust/change-policy.ts';
import { type Command, usageError } from '../command.ts';
import { editFlags, noteUntrusted, scopeOf } from '../edit/edit-servers.ts';

export const policyAdd: Command = {
	usage: 'mctl policy add <tool> allow|ask|deny [--client NAME] [--hide] [-s project|user] [--json]',
	examples: ["mctl policy add 'files__write*' ask", 'mctl policy add db__drop deny --scope user'],
	flags: {
		client: { type: 'string', value: 'NAME', help: 'only for this client; a pattern (default *)' },
		hide: { type: 'boolean', help: 'with deny: leave the tools out of lists too' },
		...editFlags,
	},

	async run(input) {
		const { args, flags, out, cwd, environment } = input;
		const [tools, wanted, extra] = args;
		const action = policyActions.find((each) => each === wanted);
		if (tools === undefined || action === undefined || extra !== undefined)
			throw usageError(policyAdd, 'mctl policy add needs a tool, or a pattern, and allow, ask or deny');
		const clients = typeof flags['client'] === 'string' ? flags['client'] : '*';
		const place = { cwd, scope: scopeOf(input, policyAdd), environment };
		if (flags['hide'] && action !== 'deny') throw usageError(policyAdd, '--hide is for deny');
		const rule = { tools, clients, action, ...(flags['hide'] === true && { hide: true as const }) };
		const { file, text, untrusted } = await changePolicy(rule, place);
		if (flags['json']) out.json({ schema: 'orchestra.policy-add/1', ...rule, file });
		else out.line(printable(`${text} is the first rule of ${file}`));
		noteUntrusted(out, file, untrusted);
		if (tools.includes('*')) return;
		const client = clients.includes('*') ? 'mctl' : clients;
		const stricter = stricterDecision(rule, { tool: tools, client }, place);
		if (stricter?.rule)
			out.note(`note: ${stricter.rule.file}:${stricter.rule.line} counts for ${tools}: ${stricter.action}`);
	},
};

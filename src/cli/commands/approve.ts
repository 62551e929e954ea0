/* `mctl approve`: calls that wait for a person, and the decision about one. */
import { type ApprovalAnswer, ApprovalFiles } from '../../trust/approval-files.ts';
import type { ApprovalRequest } from '../../trust/approval-request.ts';
import { decideApproval, waitingRequest } from '../../trust/decide-approval.ts';
import { type Command, type CommandInput, usageError } from '../command.ts';
import { noteUntrusted } from '../edit-servers.ts';
import { ageOf, timeUntil } from '../terminal/quantity.ts';
import { tableLines } from '../terminal/table.ts';

export const approve: Command = {
	usage: 'mctl approve [list | show <id> | allow <id> | deny <id>] [--always] [--json]',
	examples: [
		'mctl approve',
		'mctl approve show 3fa81c',
		'mctl approve allow 3fa81c',
		'mctl approve deny 3fa81c',
	],
	flags: {
		always: { type: 'boolean', help: 'write the decision as a rule for this tool and client' },
		json: { type: 'boolean', help: 'print one JSON object on stdout' },
	},

	async run(input) {
		const [action = 'list', id, ...rest] = input.words;
		const files = ApprovalFiles.ofUser(input.environment);
		if (rest.length > 0) throw usageError(approve, `unexpected word "${rest[0]}": name one call`);
		if (action === 'list') {
			if (id !== undefined) throw usageError(approve, `unexpected word "${id}" after list`);
			return list(files.list(), input);
		}
		if (action !== 'show' && action !== 'allow' && action !== 'deny')
			throw usageError(approve, `there is no "mctl approve ${action}"`);
		if (id === undefined) throw usageError(approve, `mctl approve ${action} needs the id of a call`);
		const request = waitingRequest(files, id);
		if (action === 'show') return show(request, input);
		await decide(files, request, action, input);
	},
};

function list(requests: readonly ApprovalRequest[], { flags, out }: CommandInput): void {
	if (flags['json']) return out.json({ schema: 'orchestra.approve/1', requests });
	if (requests.length === 0) return out.note('No call waits for approval.');
	const rows = requests.map(({ id, askedAt, expiresAt, client, tool, root }) => [
		id,
		`${ageOf(askedAt)} ago`,
		timeUntil(expiresAt),
		client,
		tool,
		root,
	]);
	const headings = ['ID', 'ASKED', 'EXPIRES', 'CLIENT', 'TOOL', 'PROJECT'];
	const narrow = [0, 2, 4];
	for (const line of tableLines(headings, rows, out.isTerminal ? out.width : undefined, narrow))
		out.line(line);
}

function show(request: ApprovalRequest, { flags, out }: CommandInput): void {
	if (flags['json']) return out.json({ schema: 'orchestra.approve/1', request });
	const { id, tool, client, root, rule, reason, argumentText, argumentsSha256, expiresAt } = request;
	out.foreign(
		[
			`tool       ${tool}`,
			`client     ${client}`,
			`project    ${root}`,
			`rule       ${rule}${reason === undefined ? '' : ` (${reason})`}`,
			`expires    ${timeUntil(expiresAt)}`,
			`arguments  SHA-256 ${argumentsSha256}`,
			...argumentText.split('\n').map((line) => `  ${line}`),
			`mctl approve allow ${id}, or mctl approve deny ${id}`,
		].join('\n'),
	);
}

async function decide(
	files: ApprovalFiles,
	request: ApprovalRequest,
	decision: ApprovalAnswer,
	{ flags, out, signal, environment }: CommandInput,
): Promise<void> {
	const { id, tool } = request;
	const isAlways = flags['always'] === true;
	const rule = await decideApproval(files, request, { decision, isAlways, signal, environment });
	if (flags['json']) return out.json({ schema: 'orchestra.approve/1', id, tool, decision, rule });
	out.line(decision === 'allow' ? `Allowed once: ${tool}` : `Denied: ${tool}`);
	if (rule === undefined) return;
	out.line(`From now on: ${rule.text} in ${rule.file}`);
	noteUntrusted(out, rule.file, rule.untrusted);
}

/* `mctl approve`: calls that wait for a user, and the decision about one. */
import { escapedText } from '../../printable.ts';
import { type ApprovalAnswer, ApprovalFiles } from '../../trust/approval-files.ts';
import type { ApprovalRequest } from '../../trust/approval-request.ts';
import { type ArgumentRow, sizeText } from '../../trust/argument-row.ts';
import { decideApproval, waitingRequest } from '../../trust/decide-approval.ts';
import { FOLDED_ARGUMENT_CHARACTERS } from '../cli-limits.ts';
import { type Command, type CommandInput, jsonFlag, usageError } from '../command.ts';
import { warnUntrusted } from '../edit/edit-servers.ts';
import { ageOf, timeUntil } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';
import { padText, textWidth, wrapText } from '../terminal/text-width.ts';

const WIDEST_NAME = 24;
const NARROWEST_VALUE = 20;
const INDENT = '  ';

export const approve: Command = {
	usage: 'mctl approve [list | show <id> | allow <id> | deny <id>] [--whole] [--always] [--json]',
	examples: [
		'mctl approve',
		'mctl approve show 3fa81c',
		'mctl approve allow 3fa81c',
		'mctl approve deny 3fa81c',
	],
	flags: {
		whole: { help: 'show long arguments unfolded' },
		always: { help: 'write the decision as a rule for this tool and client' },
		json: jsonFlag,
	},
	args: [0, 2, 'an action and the id of one call'],

	async run(input) {
		const [action = 'list', id] = input.args;
		const files = ApprovalFiles.ofUser(input.environment);
		if (action === 'list') {
			if (id !== undefined) throw usageError(approve, `unexpected argument "${id}" after list`);
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
	if (requests.length === 0) return out.info('No call waits for approval.');
	printTable(out, requests, ['ID', 'EXPIRES', 'TOOL'], {
		ID: 'id',
		ASKED: ({ askedAt }) => `${ageOf(askedAt)} ago`,
		EXPIRES: ({ expiresAt }) => timeUntil(expiresAt),
		CLIENT: 'client',
		TOOL: 'tool',
		PROJECT: 'root',
	});
}

function show(request: ApprovalRequest, { flags, out }: CommandInput): void {
	if (flags['json']) return out.json({ schema: 'orchestra.approve/1', request });
	const { id, tool, client, root, rule, reason, argumentsSha256, expiresAt } = request;
	const isWhole = flags['whole'] === true;
	const facts = [
		['tool', tool],
		['client', client],
		['project', root],
		['rule', `${rule}${reason === undefined ? '' : ` (${reason})`}`],
		['expires', timeUntil(expiresAt)],
		['arguments', request.arguments.length === 0 ? 'none' : `SHA-256 ${argumentsSha256}`],
	];
	for (const [name = '', text = ''] of facts)
		for (const line of rowLines(name, escapedText(text), { indent: '', column: 9, width: out.width }))
			out.line(line);
	const names = request.arguments.map(({ name }) => textWidth(name));
	const column = Math.min(WIDEST_NAME, Math.max(0, ...names));
	for (const argument of request.arguments)
		for (const text of argumentLines(argument, isWhole))
			for (const line of rowLines(text.name, text.value, { indent: INDENT, column, width: out.width }))
				out.line(line);
	if (!isWhole && request.arguments.some(({ isLong }) => isLong))
		out.line(`Long arguments are folded: mctl approve show ${id} --whole`);
	out.line(`mctl approve allow ${id}, or mctl approve deny ${id}`);
}

/** The size of a long argument has a row of its own, before its text. */
function argumentLines(argument: ArgumentRow, isWhole: boolean): { name: string; value: string }[] {
	const { name, text, isLong, leftOut, hasSecret } = argument;
	const secret = hasSecret ? '; a secret in it is replaced by •••' : '';
	if (!isLong)
		return [{ name, value: text }, ...(secret === '' ? [] : [{ name: '', value: `(${secret.slice(2)})` }])];
	const shown = isWhole ? text : text.slice(0, FOLDED_ARGUMENT_CHARACTERS);
	const isCut = leftOut > 0 || shown.length < text.length;
	const how = isCut ? `only its start is shown: ` : '';
	return [
		{ name, value: `(${how}${sizeText(argument)}${secret})` },
		{ name: '', value: `${shown}${isCut ? '…' : ''}` },
	];
}

/** Lines of a name and its value. What is wrapped stays in the column of the value, so no value looks like a row. */
function rowLines(
	name: string,
	value: string,
	{ indent, column, width }: { indent: string; column: number; width: number },
): string[] {
	const start = `${indent}${' '.repeat(column)}  `;
	const room = Math.max(NARROWEST_VALUE, width - start.length);
	const names = wrapText(name, Math.max(NARROWEST_VALUE, width - indent.length));
	const values = wrapText(value, room);
	if (names.length === 1 && textWidth(name) <= column)
		return values.map((line, at) => (at === 0 ? `${indent}${padText(name, column)}  ${line}` : start + line));
	return [...names.map((line) => indent + line), ...values.map((line) => start + line)];
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
	warnUntrusted(out, rule.file, rule.untrusted);
}

/*
 * The difference between the tools of a server and what was accepted, for a user: words
 * in colour on a terminal, `[-old-]{+new+}` elsewhere. The strings come from a server, so
 * every control character is escaped.
 */
import type { ServerDrift, ToolDrift } from '../../hub/server-drifts.ts';
import { printable } from '../../printable.ts';
import type { WordRun } from '../../sequence-diff.ts';
import { describeFinding, type ScanFinding, visible } from '../../trust/scan/scan-finding.ts';
import { DRIFT_CONTEXT_CHARACTERS } from '../cli-limits.ts';
import type { Output } from './output.ts';

type Styled = Pick<Output, 'style' | 'isTerminal'>;

const INDENT = '    ';
/** Pages are compared as tools are; these parts of a tool have what they say and what they may reach. */
const PAGE = /^\((page|content of) /;
const pageTitles: Readonly<Record<string, string>> = { description: 'content', inputSchema: 'reach' };

/** The lines about one server; none when it has not changed and nothing is suspicious. */
export function driftLines(drift: ServerDrift, findings: readonly ScanFinding[], out: Styled): string[] {
	const { server, state, problem, missing, drifted } = drift;
	const lines = [
		...(problem ? [`  ${printable(problem.message)}`] : []),
		...(missing === undefined ? [] : [`  ${printable(missing)}`]),
		...drifted.flatMap((tool) => toolLines(tool, out)),
		...findings.map(
			(finding) => `  ${out.style('yellow', 'suspicious')} ${printable(describeFinding(finding))}`,
		),
		...(state === 'drifted' ? [`  accept: mctl trust accept ${printable(server)}`] : []),
	];
	return lines.length === 0 ? [] : [out.style('bold', printable(server)), ...lines, ''];
}

function toolLines({ tool, kind, isQuarantined, before, parts }: ToolDrift, out: Styled): string[] {
	const style = kind === 'new' ? 'green' : kind === 'removed' ? 'red' : 'yellow';
	const suffix = isQuarantined ? ' (quarantined)' : '';
	const heading = `  ${out.style(style, kind)} ${visible(tool)}${suffix}`;
	if (kind === 'removed') return [heading];
	if (kind === 'changed' && before === undefined)
		return [heading, `${INDENT}The accepted text is not known on this machine.`];
	const titles = PAGE.test(tool) ? pageTitles : {};
	return [heading, ...parts.flatMap(({ part, words }) => partLines(titles[part] ?? part, words, out))];
}

function partLines(part: string, runs: readonly WordRun[], out: Styled): string[] {
	const text = runs.map((run, at) => shown(run, { isFirst: at === 0, isLast: at === runs.length - 1 }, out));
	const lines = text.join('').split('\n');
	return [
		`${INDENT}${out.style('dim', `${part}:`)} ${lines[0] ?? ''}`,
		...lines.slice(1).map((line) => INDENT + line),
	];
}

function shown({ sign, text }: WordRun, place: { isFirst: boolean; isLast: boolean }, out: Styled): string {
	if (sign === ' ') return shortened(text, place);
	const safe = visible(text);
	const isStyled = out.style('red', 'x') !== 'x';
	if (!isStyled) return sign === '-' ? `[-${safe}-]` : `{+${safe}+}`;
	// Each line has its own style: an indent follows a newline.
	const style = sign === '-' ? 'red' : 'green';
	return safe
		.split('\n')
		.map((line) => (line === '' ? '' : out.style(style, line)))
		.join('\n');
}

/** Unchanged text: its middle is left out when it is long. */
function shortened(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
	const head = isFirst ? 0 : DRIFT_CONTEXT_CHARACTERS;
	const tail = isLast ? 0 : DRIFT_CONTEXT_CHARACTERS;
	if (text.length <= head + tail + DRIFT_CONTEXT_CHARACTERS) return visible(text);
	return `${visible(text.slice(0, head))} … ${visible(text.slice(text.length - tail))}`;
}

/*
 * `man/mctl.1` from the table of commands, for `man mctl` after an installation.
 * `node scripts/man-page.mjs` writes it; `--check` fails when it is out of date, and is part
 * of `npm test`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadCommands } from './command-table.mjs';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'man', 'mctl.1');
const text = await render();

if (process.argv.includes('--check')) {
	if (readFileSync(target, 'utf8') === text) console.log('man: man/mctl.1 is up to date');
	else {
		console.error('man/mctl.1 is out of date: run node scripts/man-page.mjs');
		process.exitCode = 1;
	}
} else {
	mkdirSync(dirname(target), { recursive: true });
	writeFileSync(target, text);
}

async function render() {
	const { commands } = await loadCommands();
	const sections = [];
	for (const [, entry] of commands) sections.push(section(entry, await entry.load()));
	return `.TH MCTL 1 "" "orchestra-hub" "User Commands"
.SH NAME
mctl \\- one hub for everything an agent or a user can call
.SH SYNOPSIS
.B mctl
.I command
[\\fIwords\\fR] [\\fIflags\\fR]
.SH DESCRIPTION
Any process that reads JSON on stdin and prints JSON lines is a tool; any MCP server plugs in; a folder of markdown becomes prompts and resources.
Agents reach all of it through one command, \\fBmctl serve\\fR or \\fBmctl bridge\\fR. \\fBmctl help\\fR \\fIcommand\\fR shows one command with its examples.
.SH COMMANDS
${sections.join('\n')}
.SH EXIT STATUS
0 success, 1 the tool or a check failed, 2 a defect of mctl, 64 wrong usage, 69 a program or a hub cannot be reached, 124 a deadline, 130 interrupted by Ctrl\\-C, 143 by SIGTERM.
.SH FILES
.TP
.I orchestra.json
the configuration of a project, in its folder
.TP
.I ~/.config/orchestra/config.json
the configuration of the user
.TP
.I ~/.local/state/orchestra
what is known of servers, sign\\-ins, the journal
`;
}

function section({ summary }, { usage, flags }) {
	const rows = Object.entries(flags).map(([flag, { value, isValueOptional, short, help }]) => {
		const given = value === undefined ? '' : isValueOptional ? ` [${value}]` : ` ${value}`;
		const name = `${short ? `-${short}, ` : ''}--${flag}`;
		return `.TP\n\\fB${plain(name)}\\fR${plain(given)}\n${plain(help)}`;
	});
	const list = rows.length === 0 ? '' : `\n.RS\n${rows.join('\n')}\n.RE`;
	return `.TP\n\\fB${plain(usage.split('\n')[0] ?? '')}\\fR\n${plain(summary)}.${list}`;
}

/** Text without meaning for the formatter. */
function plain(words) {
	return words
		.replaceAll('\\', '\\e')
		.replaceAll('-', '\\-')
		.replace(/^(['.])/, '\\&$1');
}

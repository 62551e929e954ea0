/*
 * `docs/cli.md` from the table of commands: usage, flags and examples of each.
 * `node scripts/cli-reference.mjs` writes it; `--check` fails when it is out of date,
 * and is part of `npm test`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadCommands } from './command-table.mjs';

const root = resolve(import.meta.dirname, '..');
const target = join(root, 'docs', 'cli.md');
const text = await render();

if (process.argv.includes('--check')) {
	const isCurrent = readFileSync(target, 'utf8') === text;
	if (isCurrent) console.log('cli: docs/cli.md is up to date');
	else {
		console.error('docs/cli.md is out of date: run node scripts/cli-reference.mjs');
		process.exitCode = 1;
	}
} else writeFileSync(target, text);

async function render() {
	const { commands } = await loadCommands();
	const sections = [];
	for (const [name, entry] of commands) sections.push(section(name, entry, await entry.load()));
	return `# Commands

Generated from the table of commands (\`src/cli/command-table.ts\`). \`mctl help <command>\` prints the same in a terminal.
\`-h\` and \`--help\` work everywhere, and so do \`-q\` and \`--quiet\`, which leave out warnings and notes.
stdout has the answer, stderr everything else; \`--json\` prints one object with a \`schema\`.
Exit codes: 0 success, 1 the tool or a check failed, 2 a defect of mctl, 64 wrong usage, 69 a program or a hub cannot be reached,
124 a deadline, 130 interrupted by Ctrl-C, 143 by SIGTERM.
The servers (serve, bridge, hub run) end with 0 at a first Ctrl-C or SIGTERM; calls in flight have one second. A second one ends them at once, with 130 or 143.

| command | what it does |
|---|---|
${[...commands].map(([name, { summary }]) => `| [\`mctl ${name}\`](#mctl-${name.replace(' ', '-')}) | ${escaped(summary)} |`).join('\n')}

${sections.join('\n')}`;
}

function section(name, { summary }, { usage, examples, flags }) {
	const rows = Object.entries(flags).map(([flag, { value, isValueOptional, short, help }]) => {
		const given = value === undefined ? '' : isValueOptional ? ` [${value}]` : ` ${value}`;
		const words = `${short ? `-${short}, ` : ''}--${flag}${given}`;
		return `| \`${words}\` | ${escaped(help)} |`;
	});
	const table = rows.length === 0 ? '' : `\n| flag | what it does |\n|---|---|\n${rows.join('\n')}\n`;
	return `## \`mctl ${name}\`

${summary}.

\`\`\`text
${usage}
\`\`\`

\`\`\`sh
${examples.join('\n')}
\`\`\`
${table}`;
}

function escaped(words) {
	return words.replaceAll('|', '\\|');
}

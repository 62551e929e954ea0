/*
 * Hostile files in every folder that a hub reads: the hub lives, names each bad file
 * in one line of its log, and serves the good ones. Each round starts a real `mctl
 * serve` on a folder with a random choice of poisons.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/steps.mjs';

export const title = 'hostile files in library, storage and configuration never stop or block a hub';

const ANSWER_MS = 20_000;
const good = { resource: 'orchestr8://guides/good', stored: 'orchestra://notes/good' };

export async function run({ random, rounds, folder, note }) {
	const counts = { rounds: 0, poisons: 0, warnings: 0, failures: [] };
	for (let round = 0; round < rounds; round++) {
		const place = join(folder, String(round));
		const names = poisonFolder(place, random);
		counts.rounds++;
		counts.poisons += names.length;
		try {
			const { text, stored, stderr, code } = await serveOnce(place);
			if (!text.includes('Good')) counts.failures.push(`round ${round}: the good resource was not served`);
			if (!stored.includes('Kept'))
				counts.failures.push(`round ${round}: the good stored file was not served`);
			if (code !== 0) counts.failures.push(`round ${round}: mctl serve ended with ${code}`);
			counts.warnings += checkWarnings(stderr, names, counts.failures, round);
		} catch (error) {
			counts.failures.push(`round ${round} (${names.map(({ kind }) => kind).join(', ')}): ${error.message}`);
		}
	}
	note(`kinds: ${kinds.map(({ kind }) => kind).join(', ')}`);
	return counts;
}

/** Every poison that must be told of is in exactly one line, and no line has a control character. */
function checkWarnings(stderr, names, failures, round) {
	const warnings = stderr.split('\n').filter((line) => /\[WARN\]/.test(line));
	for (const { file, isTold } of names) {
		const count = warnings.filter((line) => line.includes(file)).length;
		if (isTold && count !== 1) failures.push(`round ${round}: ${file} is named ${count} times`);
	}
	if (/[^\P{Cc}\n]/u.test(stderr)) failures.push(`round ${round}: control characters in the log`);
	return warnings.length;
}

const kinds = [
	{ kind: 'deep-flow', text: (n) => `---\na: ${'['.repeat(1_000 + n)}\n---\n# X` },
	{ kind: 'deep-map', text: (n) => `---\n${'{a: '.repeat(1_000 + n)}\n---\n# X` },
	{ kind: 'deep-items', text: (n) => `---\na:\n  ${'- '.repeat(500 + n)}x\n---\n# X` },
	{ kind: 'aliases', text: () => `---\na: &a [x, x]\nb: [${'*a, '.repeat(500)}*a]\n---\n# X` },
	{ kind: 'cut-utf8', text: () => Buffer.from([0x23, 0x20, 0xe2, 0x82]) },
	{
		kind: 'binary',
		text: (n) => Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 31 + n) & 0xff)),
	},
	{ kind: 'huge', text: () => '# Huge', grow: 100 * 1024 * 1024 },
	{ kind: 'brackets', text: () => `# ${'['.repeat(3_000_000)}`, isSilent: true },
	{ kind: 'fifo', make: (path) => execFileSync('mkfifo', [path]) },
	{ kind: 'device', make: (path) => symlinkSync('/dev/zero', path) },
	{ kind: 'link-loop', make: (path) => symlinkSync(path, path) },
	{ kind: 'link-out', make: (path) => symlinkSync('/etc/passwd', path) },
	{ kind: 'control-name', text: () => '---\na: "\n---\n', name: 'bad\u001b[31m\nname' },
];

function poisonFolder(place, random) {
	for (const name of ['resources/guides', 'prompts', '.projects/notes'])
		mkdirSync(join(place, name), { recursive: true });
	writeFileSync(join(place, 'resources/guides/good.md'), '# Good\n');
	writeFileSync(join(place, 'prompts/good.md'), '# Good prompt\n');
	writeFileSync(join(place, '.projects/notes/good.md'), '# Kept\n');
	poisonConfiguration(place, random);
	const made = [];
	for (let count = 1 + random.integer(5); count > 0; count--) {
		const kind = random.pick(kinds);
		const where = random.pick(['resources/guides', 'prompts', '.projects/notes']);
		const file = `${kind.name ?? 'bad'}-${count}.md`;
		const path = join(place, where, file);
		if (kind.make) kind.make(path);
		else writeFileSync(path, kind.text(random.integer(3_000)));
		if (kind.grow) truncateSync(path, kind.grow);
		const isTold = !kind.isSilent && where !== '.projects/notes' && kind.name === undefined;
		made.push({
			kind: `${kind.kind} in ${where}`,
			file: `${where.replace('.projects/', '')}/${file}`,
			isTold,
		});
	}
	return made;
}

function poisonConfiguration(place, random) {
	const path = join(place, random.pick(['plugins.yaml', '.mcp.json', 'orchestra.json']));
	const poison = random.pick(['fifo', 'deep', 'none']);
	if (poison === 'fifo') execFileSync('mkfifo', [path]);
	if (poison === 'deep')
		writeFileSync(path, path.endsWith('yaml') ? `plugins: ${'['.repeat(3_000)}` : '['.repeat(100_000));
}

/** Ask for the good files, then close the input. Rejects when the answers do not come in time. */
async function serveOnce(cwd) {
	const environment = { PATH: process.env.PATH, HOME: cwd, LOG_LEVEL: 'info' };
	const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'serve'], { cwd, env: environment });
	let [stdout, stderr] = ['', ''];
	child.stdout.on('data', (chunk) => (stdout += chunk));
	child.stderr.on('data', (chunk) => (stderr += chunk));
	const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
	const timer = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS);
	const ask = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
	child.stdin.on('error', () => {}); // a hub that died is seen by its exit code
	child.stdin.write(
		ask(1, 'initialize', {
			protocolVersion: '2025-06-18',
			capabilities: {},
			clientInfo: { name: 'chaos', version: '1' },
		}) +
			ask(2, 'resources/read', { uri: good.resource }) +
			ask(3, 'resources/read', { uri: good.stored }) +
			ask(4, 'prompts/list', {}) +
			ask(5, 'resources/list', {}),
	);
	child.stdin.end();
	const code = await ended;
	clearTimeout(timer);
	if (code !== 0) throw new Error(`ended with ${code}: ${stderr.slice(-400)}`);
	const answer = (id) => stdout.split('\n').find((line) => line.includes(`"id":${id},`)) ?? '';
	return { text: answer(2), stored: answer(3), stderr, code };
}

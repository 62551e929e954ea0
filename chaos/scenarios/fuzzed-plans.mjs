/* Programs made of hostile pieces, as plans of one `mctl serve`. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ServeClient } from '../support/serve-client.mjs';

export const title =
	'every program is answered within its bounds, reaches only allowed tools, and the hub stays usable';

const MOST_MEMORY_MB = 900;
const PIECES = 6;

const pieces = [
	'for (;;);',
	'for (;;) await null;',
	"const big = []; for (;;) big.push('x'.repeat(1e6) + big.length);",
	"await tools.files.writeFile({ path: input + '/escaped', content: 'x' });",
	"try { await tools.files.writeFile({ path: input + '/escaped', content: 'x' }); } catch {}",
	"globalThis.seen = await tools.files.readTextFile({ path: input + '/a.txt' });",
	"await Promise.all(Array.from({ length: 1200 }, () => tools.files.readTextFile({ path: input + '/a.txt' })));",
	"const name = ['write', 'File'].join(''); try { await tools.files[name]({ path: input + '/escaped', content: 'x' }); } catch {}",
	"try { await eval('tools').files.writeFile({ path: input + '/escaped', content: 'x' }); } catch {}",
	'Object.prototype.then = (give) => give(1);',
	'Object.prototype.isError = false; Object.prototype.code = 1;',
	"JSON.stringify = () => 'forged'; JSON.parse = () => ({ forged: 1 });",
	'Promise.prototype.then = () => {};',
	"Function.prototype.constructor = () => 1; try { Function('return process')().exit(1) } catch {}",
	"try { (await import('node:fs')).writeFileSync(input + '/escaped', 'x') } catch {}",
	'const proxy = new Proxy({}, { get() { throw proxy } }); throw proxy;',
	'const circle = {}; circle.circle = circle; return circle;',
	"return 'x'.repeat(2e7);",
	'return { toJSON() { for (;;); } };',
	'await new Promise(() => {});',
	"throw new Error('x'.repeat(1e6));",
	"for (let at = 0; at < 1e6; at++) console.log('');",
	"await Promise.all(Array.from({ length: 12 }, () => tools.files.readTextFile({ path: 'x'.repeat(4e6) })));",
	"for (;;) void tools.files.readTextFile({ path: 'x'.repeat(1e5) });",
	'const tangled = (a = (b = (c = (d = (e = (f = (g = (h = 1) => 1) => 1) => 1) => 1) => 1) => 1) => 1) => 1;',
	"for (const name of ['then', 'constructor', '__proto__', 'toString']) try { await tools.files[name]({}); await tools[name].x({}) } catch {}",
	'for (const queue of [0, 1, 2]) { const again = () => Promise.resolve().then(again); again(); }',
	"console.log('y'.repeat(1e6)); console.log({ get a() { throw 1 } });",
	'const f = () => f() + 1; try { f() } catch {}',
	'new Uint8Array(1e9); new ArrayBuffer(3e7);',
	"await find('read a file'); try { await look({ handle: '../../x', op: 'head' }) } catch {}",
	'class A { static { this.a = new A() } #b = 1 } ',
	"'('.repeat(1e5).match(/(a+)+$/); ('a'.repeat(40) + 'b').match(/(a+)+$/);",
	'}; globalThis.out = 1; {',
	'const \\u0061 = `${`${1}`}`; // */ /* `',
];

export async function run({ random, rounds, folder }) {
	const counts = { programs: 0, results: 0, refused: 0, mostMemoryMb: 0, failures: [] };
	const project = join(folder, 'project');
	mkdirSync(project);
	writeFileSync(join(project, 'a.txt'), 'first');
	const files = createRequire(import.meta.url).resolve(
		'@modelcontextprotocol/server-filesystem/dist/index.js',
	);
	const settings = {
		plans: true,
		mcpServers: { files: { command: process.execPath, args: [files, project] } },
		policy: [{ tools: 'files__write*', action: 'deny' }],
	};
	writeFileSync(join(project, 'orchestra.json'), JSON.stringify(settings));
	const client = await ServeClient.start({
		cwd: project,
		env: { HOME: folder, XDG_STATE_HOME: join(folder, 'state') },
	});
	for (let round = 0; round < rounds && counts.failures.length === 0; round++) {
		const code = Array.from({ length: 1 + random.integer(PIECES) }, () => pieceOf(random)).join('\n');
		const answer = await client.request('tools/call', {
			name: 'run_plan',
			arguments: { code, input: project },
		});
		counts.programs++;
		if (answer?.result?.isError) counts.refused++;
		else if (answer?.result) counts.results++;
		else
			counts.failures.push(
				`round ${round}: ${answer ? JSON.stringify(answer.error) : 'no answer'} to ${code}`,
			);
		if (JSON.stringify(answer ?? '').length > 2 ** 22)
			counts.failures.push(`round ${round}: a long answer to ${code}`);
		if (existsSync(join(project, 'escaped')))
			counts.failures.push(`round ${round}: a denied tool wrote: ${code}`);
		counts.mostMemoryMb = Math.max(counts.mostMemoryMb, memoryMb(client.pid));
	}
	if (counts.mostMemoryMb > MOST_MEMORY_MB) counts.failures.push(`the hub used ${counts.mostMemoryMb} MB`);
	const alive = await client.request('tools/call', { name: 'run_plan', arguments: { code: 'return 1 + 1' } });
	if (alive?.result?.content?.[0]?.text !== '2') counts.failures.push(`the hub does not run plans any more`);
	await client.end();
	return counts;
}

/** A piece, sometimes with characters changed. */
function pieceOf(random) {
	const piece = random.pick(pieces);
	if (random.next() < 0.8) return piece;
	const at = random.integer(piece.length);
	return (
		piece.slice(0, at) +
		random.pick(['', '(', '}', '`', '\u0000', 'tools', '..', '\ud83d']) +
		piece.slice(at + 1)
	);
}

/** Resident memory; 0 where the system does not tell. */
function memoryMb(pid) {
	try {
		const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
		return Math.round(Number(kilobytes ?? 0) / 1024);
	} catch {
		return 0; // not Linux, or it has ended
	}
}

/* The arguments of a script that takes names and flags: `--help` prints its usage, a mistake is one sentence. */
import { parseArgs } from 'node:util';

const WRONG_USAGE = 64;

/**
 * The flags, and the names. Ends the process for `--help` and for a mistake.
 * @param {{ usage: string, options: Record<string, { type: 'string' | 'boolean' }>, names: readonly string[], kind: string }} about
 *   `kind` is what a name stands for: `suite`
 */
export function readArgs({ usage, options, names, kind }) {
	try {
		const { values, positionals } = parseArgs({
			options: { ...options, help: { type: 'boolean', short: 'h' } },
			allowPositionals: true,
		});
		if (values.help) {
			console.log(`${usage}\n\n${kind}: ${names.join(', ')}`);
			process.exit(0);
		}
		const unknown = positionals.filter((name) => !names.includes(name));
		if (unknown.length > 0) throw new Error(`no ${kind} is called ${unknown.join(', ')}`);
		return { values, positionals };
	} catch (error) {
		const [sentence] = error.message.split('. To specify');
		console.error(`${sentence}\nhint: ${kind}: ${names.join(', ')}; --help shows the flags`);
		process.exit(WRONG_USAGE);
	}
}

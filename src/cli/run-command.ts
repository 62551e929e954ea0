/*
 * One command from its arguments to its exit code: find it, parse its flags, run it, and
 * report what it threw. Nothing of the process is used here, so that a program or a test
 * can run commands within its own.
 */
import { OrchestraError } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { printable } from '../printable.ts';
import { type Command, type CommandInput, checkArgs } from './command.ts';
import { commands } from './command-table.ts';
import { exitCodes } from './exit.ts';
import { commandHelp, groupHelp, overview } from './help.ts';
import { parseFlags } from './parse-flags.ts';
import { resolveCommand } from './resolve-command.ts';

export { Output } from './terminal/output.ts';

/** The parts of the process that a command uses. */
export type CommandContext = Omit<CommandInput, 'args' | 'flags' | 'lists'>;

/** Resolves to the exit code, when everything that the command opened is closed. Never rejects. @param onCommand called before the command runs */
export async function runCommand(
	commandLine: readonly string[],
	context: CommandContext,
	onCommand: (command: Command) => void = () => {},
): Promise<number> {
	try {
		return (await run(commandLine, context, onCommand)) ?? 0;
	} catch (thrown) {
		const error = OrchestraError.from(thrown, isSystemError(thrown) ? 'io' : 'internal');
		const asJson = wantsJson(commandLine);
		context.out.error(error, asJson);
		if (error.code === 'internal' && error.cause instanceof Error && !asJson)
			context.out.warn(printable(error.cause.stack ?? ''));
		return exitCodes[error.code];
	}
}

async function run(
	commandLine: readonly string[],
	context: CommandContext,
	onCommand: (command: Command) => void,
): Promise<number | void> {
	const { out, environment, program, signal, stdin } = context;
	const resolved = resolveCommand(commands, commandLine);
	if (resolved.kind === 'version') return showVersion(context, wantsJson(commandLine));
	if (resolved.kind === 'overview') return out.line(overview(commands));
	if (resolved.kind === 'group') return out.line(groupHelp(commands, resolved.name));
	const command = await resolved.entry.load();
	const { args, flags, lists } = parseFlags(command, resolved.rest);
	if (flags['help']) return out.line(commandHelp(resolved.entry, command));
	const isQuiet = flags['quiet'] === true || environment['LOG_LEVEL']?.toLowerCase() === 'error';
	if (isQuiet) out.silence();
	checkArgs(args, command);
	onCommand(command);
	const quietly = isQuiet ? { ...environment, LOG_LEVEL: 'error' } : environment;
	const given = { args, flags, lists, out, environment: quietly, program, signal, stdin };
	return command.run({
		...given,
		get cwd(): string {
			return context.cwd;
		},
	});
}

function showVersion({ out }: CommandContext, asJson: boolean): void {
	const version = packageVersion();
	if (asJson) out.json({ schema: 'orchestra.version/1', version });
	else out.line(version);
}

/** An argument behind `--` is no flag. */
export function wantsJson(args: readonly string[]): boolean {
	const end = args.indexOf('--');
	return args.slice(0, end < 0 ? args.length : end).includes('--json');
}

/** An error of the operating system: a full disk, a folder without write permission. */
function isSystemError(thrown: unknown): boolean {
	return thrown instanceof Error && 'syscall' in thrown;
}

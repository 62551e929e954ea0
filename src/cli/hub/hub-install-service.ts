/* `mctl hub install-service`: the shared hub as a service of the user, started by systemd. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { readIfPresent, replaceFile } from '../../files/replace-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { type Command, type CommandInput, jsonFlag } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { httpAddressOf, httpArgs, httpFlag } from './http-flag.ts';

/** Variables that decide where the files of the user are, and which programs servers find. */
const keptVariables = ['PATH', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'ORCHESTRA_TRUST'];

export const hubInstallService: Command = {
	usage: 'mctl hub install-service [--http [ADDR]] [--print] [--json]',
	examples: ['mctl hub install-service --print', 'mctl hub install-service --http 127.0.0.1:8460'],
	flags: {
		http: httpFlag,
		print: { help: 'print the unit and write nothing' },
		json: jsonFlag,
	},
	args: httpArgs,

	async run(input) {
		const { flags, out, environment } = input;
		const httpAddress = httpAddressOf(input, hubInstallService);
		const { root } = hubFolderHere(input);
		const unit = unitText(input, root, httpAddress);
		if (flags['print']) return out.line(unit.trimEnd());
		if (process.platform !== 'linux')
			throw new OrchestraError('bad_input', 'there is no systemd on this system', {
				hint: '--print shows the unit. Let your service manager run: mctl hub run',
			});
		const name = `orchestra-${unitName(root)}.service`;
		const path = join(unitFolder(environment), name);
		const before = readIfPresent(path);
		const isNew = before?.toString('utf8') !== unit;
		if (isNew) {
			mkdirSync(dirname(path), { recursive: true });
			replaceFile(path, Buffer.from(unit));
		}
		const next = `systemctl --user daemon-reload && systemctl --user enable --now ${name}`;
		if (flags['json']) return out.json({ schema: 'orchestra.hub-service/1', path, name, isNew, next });
		out.line(`${isNew ? out.style('green', '+') : '='} ${path}`);
		out.line(`Start it now and with every login:\n  ${next}`);
		out.line(`Without a login (on a server):\n  loginctl enable-linger`);
	},
};

function unitText({ environment, program }: CommandInput, root: string, http: string | undefined): string {
	const mctl = [process.execPath, program, 'hub'];
	const run = [...mctl, 'run', ...(http === undefined ? [] : [`--http=${http}`])];
	const variables = keptVariables.flatMap((name) => {
		const value = environment[name];
		return value === undefined || value === '' ? [] : [`Environment=${quotedArg(`${name}=${value}`)}`];
	});
	return `# Written by mctl hub install-service.
[Unit]
Description=Orchestra hub of ${plainPath(root)}

[Service]
WorkingDirectory=${plainPath(root)}
${variables.join('\n')}
# A hub that a client started drains its calls and makes way.
ExecStartPre=-${[...mctl, 'stop'].map(quotedArg).join(' ')}
ExecStart=${run.map(quotedArg).join(' ')}
Restart=always
RestartSec=2
# The hub ends its servers itself; what is left after that is ended by systemd.
KillMode=mixed
TimeoutStopSec=30

[Install]
WantedBy=default.target
`;
}

/** The rest of a line of a unit, which knows no quotes there. */
function plainPath(path: string): string {
	return path.replaceAll('%', '%%').replaceAll(/[\r\n]/g, ' ');
}

/** An argument in a unit: specifiers and variables mean nothing in it. */
function quotedArg(arg: string): string {
	const escaped = arg
		.replaceAll('\\', '\\\\')
		.replaceAll('"', '\\"')
		.replaceAll('\n', '\\n')
		.replaceAll('%', '%%')
		.replaceAll('$', '$$$$');
	return `"${escaped}"`;
}

function unitName(root: string): string {
	const name = basename(root).replaceAll(/[^\w.-]/g, '_') || 'root';
	return `${name}-${sha256(Buffer.from(root)).slice(0, 8)}`;
}

function unitFolder(environment: CommandInput['environment']): string {
	const home = environment['HOME'] || homedir();
	return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user');
}

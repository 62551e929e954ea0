/* `mctl hub status`: the shared hub and what it serves. `mctl hub token`: the token of its HTTP listener. */
import { statSync } from 'node:fs';
import { packageVersion } from '../../files/package-version.ts';
import { ensureToken, tokenFile } from '../../http/http-token.ts';
import { newerFilesText, versionText } from '../../hub/shared/hub-version.ts';
import { stateText } from '../../hub/source-status.ts';
import { printable } from '../../printable.ts';
import { type Command, jsonFlag } from '../command.ts';
import { askHub } from '../hub-client/ask-hub.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { ageOf, formatCounted, megabytes } from '../terminal/quantity.ts';
import { printTable } from '../terminal/table.ts';

export const hubStatus: Command = {
	usage: 'mctl hub status [--json]',
	examples: ['mctl hub status', 'mctl hub status --json | jq .backends'],
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, out, cwd, environment, program } = input;
		const { startTime: _start, ...status } = await askHub({ cwd, environment });
		const other = versionText(status, packageVersion()) ?? newerFilesText(status, statSync(program).mtime);
		if (flags['json'])
			return out.json({
				schema: 'orchestra.hub/1',
				...status,
				...(other !== undefined && { otherProgram: other }),
			});
		const {
			pid,
			address,
			networkAddress,
			httpUrl,
			root,
			startedAt,
			version = 'of an unknown version',
			memoryBytes,
			backends,
			clients,
			unset = [],
			blocked,
		} = status;
		out.line(
			`The hub of ${root}: ${version}, pid ${pid}, ${[address, networkAddress].filter(Boolean).join(' and ')}, up ${ageOf(startedAt)}, ${formatCounted(clients, 'client')}, ${megabytes(memoryBytes)}`,
		);
		if (other !== undefined) out.line(`Versions: ${other}`);
		if (httpUrl !== undefined) out.line(`MCP over HTTP: ${httpUrl} (its token: mctl hub token)`);
		if (unset.length > 0) out.line(`Variables of the configuration that are not set: ${unset.join(', ')}`);
		for (const sentence of blocked) out.line(`Project trust: ${printable(sentence)} (mctl trust)`);
		printTable(out, backends, undefined, {
			BACKEND: 'id',
			KIND: 'kind',
			'LAST CALL': ({ lastCall }) => lastCall && `${ageOf(lastCall)} ago`,
			STATE: stateText,
		});
	},
};

export const hubToken: Command = {
	usage: 'mctl hub token [--json]',
	examples: ['mctl hub token', 'curl -H "Authorization: Bearer $(mctl hub token)" …'],
	flags: { json: jsonFlag },

	async run(input) {
		const { flags, out, cwd, environment } = input;
		const folder = hubFolderHere({ cwd, environment });
		folder.make();
		const file = tokenFile(folder.path);
		const token = ensureToken(file);
		if (flags['json']) return out.json({ schema: 'orchestra.hub-token/1', token, file });
		out.line(token);
	},
};

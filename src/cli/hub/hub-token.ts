/* `mctl hub token`: the token that programs send to the hub over HTTP. */
import { ensureToken, tokenFile } from '../../http/http-token.ts';
import { type Command, refuseArgs } from '../command.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';

export const hubToken: Command = {
	usage: 'mctl hub token [--json]',
	examples: ['mctl hub token', 'curl -H "Authorization: Bearer $(mctl hub token)" …'],
	flags: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },

	async run(input) {
		refuseArgs(input, hubToken);
		const { flags, out, cwd, environment } = input;
		const folder = hubFolderHere({ cwd, environment });
		folder.make();
		const file = tokenFile(folder.path);
		const token = ensureToken(file);
		if (flags['json']) return out.json({ schema: 'orchestra.hub-token/1', token, file });
		out.line(token);
	},
};

/*
 * `mctl dashboard`: the page of the shared hub, in a browser.
 *
 * Every user of the machine can read command lines, and the link has a code. So the
 * browser gets the name of a private file that leads to the link.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OrchestraError } from '../../errors.ts';
import { openBrowser } from '../../oauth/open-browser.ts';
import type { Command, CommandPlace } from '../command.ts';
import { controlHub } from '../hub-client/control-hub.ts';
import { hubFolderHere, hubHere } from '../hub-client/hub-location.ts';

export const dashboard: Command = {
	usage: 'mctl dashboard [--no-open] [--json]',
	examples: ['mctl dashboard', 'mctl dashboard --no-open', 'mctl dashboard --json | jq -r .url'],
	flags: {
		'no-open': { help: 'print the URL and open no browser' },
		json: { help: 'print one JSON object on stdout and open no browser' },
	},

	async run(input) {
		const { flags, out, cwd, environment, signal } = input;
		const record = await hubHere(input);
		const { url } = await controlHub(record, { action: 'dashboard' }, signal);
		if (typeof url !== 'string') throw new OrchestraError('internal', 'the hub answered without a URL');
		const { pid, root } = record;
		if (flags['json']) return out.json({ schema: 'orchestra.dashboard/1', url, pid, root });
		out.line(url);
		const isOpen =
			flags['no-open'] !== true &&
			(await openBrowser(url, environment, writeRedirect(url, { cwd, environment })));
		out.info(
			isOpen
				? 'A browser opens this page. The link works once; open it yourself if the browser finds no file.'
				: 'Open this page in a browser on this machine. The link works once, for 5 minutes.',
		);
	},
};

/** Write a private file into the folder of the hub that redirects to `url`, in place of the last one; its path. */
function writeRedirect(url: string, { cwd, environment }: CommandPlace): string {
	const file = join(hubFolderHere({ cwd, environment }).path, 'open-dashboard.html');
	const target = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
	const head = `<meta charset="utf-8"><title>Orchestra</title><meta http-equiv="refresh" content="0; url=${target}">`;
	rmSync(file, { force: true });
	writeFileSync(file, `<!doctype html>${head}\n`, { mode: 0o600, flag: 'wx' });
	return file;
}

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { browserCommand, openBrowser } from '../../src/oauth/open-browser.ts';
import { thrownBy } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const page = 'https://issuer.example/authorize?a=1&b=$(touch%20x)';

describe('the browser', () => {
	it.each([
		[{}, 'darwin', ['open', page]],
		[{}, 'win32', ['rundll32', 'url.dll,FileProtocolHandler', page]],
		[{ DISPLAY: ':0' }, 'linux', ['xdg-open', page]],
		[{ WAYLAND_DISPLAY: 'w' }, 'linux', ['xdg-open', page]],
		[{}, 'linux', undefined],
		[{ BROWSER: 'none', DISPLAY: ':0' }, 'linux', undefined],
		[{ BROWSER: 'curl -sL' }, 'linux', ['curl', '-sL', page]],
		[{ BROWSER: 'links -x %s -y' }, 'linux', ['links', '-x', page, '-y']],
	] as const)('with %j on %s is %j', (environment, platform, command) => {
		expect(browserCommand(page, environment, platform)).toEqual(command);
	});

	it.each(['file:///etc/passwd', 'javascript:alert(1)', 'ssh://-oProxyCommand=x', 'not a url'])(
		'never opens %s',
		async (target) => {
			const error = await thrownBy(() => openBrowser(target, { BROWSER: 'true' }));
			expect(error).toMatchObject({ code: 'bad_input' });
		},
	);

	it('gets the URL as one argument, without a shell', async () => {
		const folder = temporaryFolder();
		const program = join(folder, 'browser');
		writeFileSync(
			program,
			`#!/bin/sh\nprintf '%s\\n' "$#" "$1" > ${folder}/part && mv ${folder}/part ${folder}/seen\n`,
		);
		chmodSync(program, 0o755);
		const nasty = 'https://issuer.example/?x=`touch x`;$(touch y)&z';
		expect(await openBrowser(nasty, { BROWSER: program, PATH: process.env['PATH'] })).toBe(true);
		await until('the browser ran', () => existsSync(join(folder, 'seen')));
		expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe(`1\n${new URL(nasty).href}\n`);
	});

	it('that is missing is reported, not thrown', async () => {
		expect(await openBrowser(page, { BROWSER: '/no/such/program' })).toBe(false);
	});
});

/*
 * `node scripts/pictures.mjs`: the pictures of the README, made from the real product.
 *
 * docs/pictures/dashboard.png       the overview of the dashboard, light
 * docs/pictures/terminal.svg        a session in a terminal, as it was printed
 *
 * `node scripts/pictures.mjs --walk FOLDER` draws every screen at 390, 1280 and 2560 pixels in both themes, to be looked at.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumFlags, findChromium } from './chromium.mjs';
import { SampleHub } from './sample-hub.mjs';
import { root } from './steps.mjs';

const SCREENS = [
	'overview',
	'tools',
	'tools?q=read a file',
	'tools/files__write_file',
	'tools/warehouse__book',
	'calls',
	'calls?outcome=failures',
	'servers',
	'servers/files',
	'servers/github',
	'servers/notes',
	'approvals',
	'library',
	'library?q=test',
	'usage',
	'tasks',
	'results',
	'add',
	'add?way=registry',
	'hubs',
	'settings',
];
const SIZES = [
	[390, 844],
	[1280, 900],
	[2560, 1440],
];
const SESSION = [
	['find', 'how do I write a test'],
	['call', 'everything__get-sum', 'a=7', 'b=35'],
	['policy', 'test', 'files__move_file', '--client', 'claude-code'],
	['log', '--slowest', '3'],
];
const MOST_HEIGHT = 6000;
const ROUNDS = 6;
const FONT = 13;
const LINE = 19;

const executablePath = findChromium();
if (executablePath === undefined) {
	process.stderr.write('there is no Chromium\nhint: npm run test:browser installs it\n');
	process.exit(69);
}
const [flag, folder] = process.argv.slice(2);
const hub = new SampleHub({ isCrowded: flag === '--walk' });
const browser = await chromium.launch({ executablePath, args: chromiumFlags });
try {
	await hub.call(ROUNDS);
	if (flag === '--walk') await walk(resolve(folder));
	else await makePictures(join(root, 'docs', 'pictures'));
} finally {
	await browser.close();
	await hub.close();
}

async function makePictures(target) {
	mkdirSync(target, { recursive: true });
	const page = await openPage(1280, 1090, 'light');
	await page.screenshot({ path: join(target, 'dashboard.png') });
	writeFileSync(join(target, 'terminal.svg'), terminalPicture());
}

async function walk(target) {
	mkdirSync(target, { recursive: true });
	for (const scheme of ['light', 'dark'])
		for (const [width, height] of SIZES) {
			const page = await openPage(width, height, scheme);
			for (const screen of SCREENS) {
				await page.evaluate(`location.hash = '#/${screen}'`);
				await page.waitForTimeout(1500);
				// A call that failed is opened.
				if (screen.startsWith('calls?')) {
					await page.locator('.virtual-row').first().click();
					await page.locator('.call-page').waitFor();
				}
				const name = `${screen.replaceAll(/\W+/g, '-')}-${width}-${scheme}.png`;
				await screenshotAll(page, [width, height], join(target, name));
			}
			await page.evaluate(`location.hash = '#/overview'`);
			for (const name of ['Access', 'Histogram'])
				await page.getByRole('button', { name, exact: true }).click();
			await page.getByText('it sees all tools').or(page.getByText('view ')).first().waitFor();
			await screenshotAll(page, [width, height], join(target, `lenses-${width}-${scheme}.png`));
			await page.context().close();
		}
}

/** The content scrolls in a part of the page, so the page is made as high as it. */
async function screenshotAll(page, [width, height], path) {
	const hidden = await page
		.locator('main, .split-detail')
		.evaluateAll((boxes) => Math.max(...boxes.map((box) => box.scrollHeight - box.clientHeight)));
	await page.setViewportSize({ width, height: Math.min(MOST_HEIGHT, height + hidden) });
	await page.screenshot({ path });
	await page.setViewportSize({ width, height });
}

async function openPage(width, height, colorScheme) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme });
	const page = await context.newPage();
	await page.goto(hub.link().href);
	await page.getByRole('slider').first().waitFor();
	await page.getByRole('button', { name: /^tools \d/ }).waitFor();
	return page;
}

/** The commands and what they print, as an SVG without a font of its own. */
function terminalPicture() {
	const lines = SESSION.flatMap((words) => [
		{
			text: `$ mctl ${words.map((word) => (word.includes(' ') ? `'${word}'` : word)).join(' ')}`,
			isCommand: true,
		},
		...hub
			.run(...words)
			.trimEnd()
			.split('\n')
			.map((text) => ({ text: text.replaceAll(hub.cwd, '.').slice(0, 100), isCommand: false })),
		{ text: '', isCommand: false },
	]);
	const height = lines.length * LINE + 24;
	const rows = lines.map(
		({ text, isCommand }, at) =>
			`<text x="16" y="${at * LINE + 28}"${isCommand ? ' fill="#6db3ff"' : ''} xml:space="preserve">${escaped(text)}</text>`,
	);
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 840 ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${FONT}" fill="#e4e6e9">
<title>A session with mctl</title>
<rect width="840" height="${height}" rx="8" fill="#16181b"/>
${rows.join('\n')}
</svg>
`;
}

function escaped(text) {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

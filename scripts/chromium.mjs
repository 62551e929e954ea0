/* Where Chromium is on this system, and how tests and benchmarks start it. */
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of `ORCHESTRA_CHROMIUM` or of the system; undefined where there is none. */
export function findChromium() {
	return [process.env.ORCHESTRA_CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path));
}

/** Without a screen, a graphics card or requests of its own. */
export const chromiumFlags = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

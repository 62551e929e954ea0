/* Durations, sizes and numbers of things for users. */

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** How long ago a moment was: `12 s`, `3 min`, `5 h`, `2 d`. */
export function ageOf(moment: string, now: number = Date.now()): string {
	const seconds = Math.max(0, Math.round((now - Date.parse(moment)) / 1000));
	if (seconds < MINUTE_S) return `${seconds} s`;
	if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min`;
	return seconds < DAY_S ? `${Math.floor(seconds / HOUR_S)} h` : `${Math.floor(seconds / DAY_S)} d`;
}

/** `42 MB`; nothing for an unknown size. */
export function megabytes(bytes: number | null): string | null {
	return bytes === null ? null : `${Math.round(bytes / 1_000_000)} MB`;
}

const KILOBYTE = 1000;

/** `17 bytes`, `4.2 kB`, `1.3 MB`. */
export function byteSize(bytes: number): string {
	if (bytes < KILOBYTE) return formatCounted(bytes, 'byte');
	const [size, unit] =
		bytes < KILOBYTE * KILOBYTE ? [bytes / KILOBYTE, 'kB'] : [bytes / KILOBYTE / KILOBYTE, 'MB'];
	return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** `in 12 s`, `in 3 min`; `now` for a moment that has passed. */
export function timeUntil(moment: string, now: number = Date.now()): string {
	const ms = Date.parse(moment) - now;
	return ms <= 0 ? 'now' : `in ${ageOf(new Date(now - ms).toISOString(), now)}`;
}

/** A number of things: `1 server`, `3 servers`. @param many default: `one` with an s */
export function formatCounted(count: number, one: string, many = `${one}s`): string {
	return `${count} ${count === 1 ? one : many}`;
}

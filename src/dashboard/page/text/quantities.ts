/* Numbers as a reader wants them: short, with a unit, of a constant width where they are in columns. */

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'];

export function formatBytes(bytes: number | null): string {
	if (bytes === null) return '–';
	let size = bytes;
	let unit = 0;
	while (size >= 1000 && unit < SIZES.length - 1) {
		size /= 1000;
		unit += 1;
	}
	return `${size >= 100 || unit === 0 ? size.toFixed(0) : size.toFixed(1)} ${SIZES[unit]}`;
}

export function formatMs(ms: number | null): string {
	if (ms === null) return '–';
	if (ms < 1) return '<1 ms';
	if (ms < 1_000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
	if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
	return formatDuration(ms);
}

/** The largest first. */
const UNITS = [
	{ name: 'd', seconds: 86_400 },
	{ name: 'h', seconds: 3_600 },
	{ name: 'min', seconds: 60 },
	{ name: 's', seconds: 1 },
] as const;

/** A duration in its largest units: `3 h 20 min`, and in one: `3 h`. */
export function formatDuration(ms: number, most = 2): string {
	const seconds = Math.max(0, Math.round(ms / 1000));
	const first = UNITS.findIndex((unit) => seconds >= unit.seconds);
	if (first === -1) return '0 s';
	let rest = seconds;
	const counts = UNITS.slice(first, first + most).map((unit) => {
		const count = Math.floor(rest / unit.seconds);
		rest %= unit.seconds;
		return count === 0 ? '' : `${count} ${unit.name}`;
	});
	return counts.filter(Boolean).join(' ');
}

/** A duration in one unit, for the axis of a chart: `100 ms`, `10 s`. */
export function formatTick(ms: number): string {
	return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

/** Short enough for a bar of a chart: `16.4 s`, `4 min`. */
export function formatBound(ms: number): string {
	return ms < 60_000 ? formatMs(ms) : `${formatCount(Math.round(ms / 60_000))} min`;
}

/** A number of things: `1 call`, `1,200 calls`. @param many default: `one` with an s */
export function formatCounted(count: number, one: string, many = `${one}s`): string {
	return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** How long ago, in one unit: `12 s`, `5 min`. */
export function formatAge(at: number, now: number): string {
	return formatDuration(now - at, 1);
}

/** The time of day, with milliseconds; with the date when it is not today. */
export function formatTime(at: number, now: number = Date.now()): string {
	const millis = String(new Date(at).getMilliseconds()).padStart(3, '0');
	return isSameDay(at, now) ? `${clockOf(at)}.${millis}` : `${dateOf(at)} ${clockOf(at)}`;
}

/** The label of a chart axis: the time of day, or the date with hours and minutes. */
export function formatMoment(at: number, now: number = Date.now()): string {
	return isSameDay(at, now) ? clockOf(at) : `${dateOf(at)} ${clockOf(at).slice(0, 5)}`;
}

function isSameDay(one: number, other: number): boolean {
	return new Date(one).toDateString() === new Date(other).toDateString();
}

function clockOf(at: number): string {
	const date = new Date(at);
	return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function dateOf(at: number): string {
	const date = new Date(at);
	return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

export function formatCount(count: number): string {
	return count.toLocaleString('en');
}

export function formatPercent(share: number): string {
	if (share <= 0) return '0 %';
	return share < 0.01 ? '<1 %' : `${Math.round(share * 100)} %`;
}

function two(value: number): string {
	return String(value).padStart(2, '0');
}

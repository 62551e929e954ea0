/*
 * Resident memory of processes, for display.
 *
 * Linux has it in a file; elsewhere `ps` is started, in the background and rarely, for all
 * processes at once. Values are rounded, so that a state without a real change stays equal.
 */
import { execFile } from 'node:child_process';
import { memoryOf } from '../../hub/shared/hub-details.ts';
import { MEMORY_ROUND_BYTES, PS_MS, PS_TIMEOUT_MS } from '../dashboard-limits.ts';

export class MemorySamples {
	#samples = new Map<number, number>();
	#wanted = new Set<number>();
	#sampledAt = Number.NEGATIVE_INFINITY;

	/** The memory of a process in bytes, rounded; null when it is not known (yet). */
	of(pid: number): number | null {
		if (process.platform === 'linux') {
			const bytes = memoryOf(pid);
			return bytes === null ? null : roundedBytes(bytes);
		}
		this.#wanted.add(pid);
		this.#sample();
		return this.#samples.get(pid) ?? null;
	}

	#sample(): void {
		if (performance.now() - this.#sampledAt < PS_MS || process.platform === 'win32') return;
		this.#sampledAt = performance.now();
		const pids = [...this.#wanted].join(',');
		this.#wanted.clear();
		execFile('ps', ['-o', 'pid=,rss=', '-p', pids], { timeout: PS_TIMEOUT_MS }, (_error, stdout) => {
			const pairs = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)];
			this.#samples = new Map(pairs.map(([, pid, rss]) => [Number(pid), roundedBytes(Number(rss) * 1024)]));
		});
	}
}

/** The bytes rounded to a quarter of a mebibyte. */
export function roundedBytes(bytes: number): number {
	return Math.round(bytes / MEMORY_ROUND_BYTES) * MEMORY_ROUND_BYTES;
}

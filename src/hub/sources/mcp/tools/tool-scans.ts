/*
 * Scans the tools of all MCP servers of a hub, in slices of a few milliseconds, and logs
 * each finding once. The code of the scan is loaded with the first server.
 */
import { type Log, loggedOnce } from '../../../../log.ts';
import type { Tool } from '../../../../protocol/mcp-types.ts';
import { sourceTitle } from '../../../../trust/pins/pin-source.ts';
import type { ScannedServer } from '../../../../trust/scan/scan-names.ts';
import { LOGGED_FINDINGS_LIMIT, TOOL_SCANS_SLICE_MS } from '../../source-limits.ts';

export class ToolScans {
	readonly #servers = new Map<string, ScannedServer>();
	/** Servers that are not scanned yet, with the log for their findings. */
	readonly #waiting = new Map<string, Log>();
	readonly #isNew = loggedOnce();
	readonly #isOn: boolean;
	#isRunning = false;

	/** @param isOn false: nothing is scanned and nothing logged. Default true */
	constructor(isOn: boolean = true) {
		this.#isOn = isOn;
	}

	/** The tools of a server were read. */
	add(server: string, tools: readonly Tool[], log: Log): void {
		if (!this.#isOn) return;
		this.#servers.set(server, { server, tools });
		this.#waiting.set(server, log);
		if (this.#isRunning) return;
		this.#isRunning = true;
		setImmediate(() => void this.#scanNext()).unref();
	}

	async #scanNext(): Promise<void> {
		const [next] = this.#waiting;
		if (next === undefined) {
			this.#isRunning = false;
			return;
		}
		const [server, log] = next;
		this.#waiting.delete(server);
		const { scanSteps } = await import('../../../../trust/scan/scan-tools.ts');
		const { describeFinding } = await import('../../../../trust/scan/scan-finding.ts');
		const others = [...this.#servers.values()].filter((each) => each.server !== server);
		const scanned = this.#servers.get(server) ?? { server, tools: [] };
		const findings: string[] = [];
		let sliceEnd = performance.now() + TOOL_SCANS_SLICE_MS;
		for (const step of scanSteps(scanned, others)) {
			findings.push(...step.map(describeFinding));
			if (performance.now() < sliceEnd) continue;
			await new Promise<void>((resolve) => setImmediate(resolve).unref());
			sliceEnd = performance.now() + TOOL_SCANS_SLICE_MS;
		}
		this.#report(server, findings, log);
		setImmediate(() => void this.#scanNext()).unref();
	}

	#report(server: string, findings: readonly string[], log: Log): void {
		const fresh = findings.filter((text) => this.#isNew(`${server} ${text}`));
		for (const text of fresh.slice(0, LOGGED_FINDINGS_LIMIT))
			log.warn(`a tool of ${sourceTitle(server)} is suspicious: ${text}`);
		const more = fresh.length - LOGGED_FINDINGS_LIMIT;
		if (more > 0) log.warn(`${more} more are suspicious: mctl trust diff ${server}`);
	}
}

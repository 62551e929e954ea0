/*
 * Scans the tools of all MCP servers of a hub, one server at a time while nothing else is
 * due, and logs each finding once. The code of the scan is loaded with the first server.
 */
import type { Log } from '../../../log.ts';
import type { Tool } from '../../../protocol/mcp-types.ts';
import type { ScannedServer } from '../../../trust/scan/scan-names.ts';

/** Most findings of one server that are logged at a time. */
const LOGGED_FINDINGS = 5;

export class ToolScans {
	readonly #servers = new Map<string, ScannedServer>();
	/** Servers that are not scanned yet, with the log for their findings. */
	readonly #waiting = new Map<string, Log>();
	readonly #logged = new Set<string>();
	#isRunning = false;

	/** The tools of a server were read. */
	add(server: string, tools: readonly Tool[], log: Log): void {
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
		const { scanTools } = await import('../../../trust/scan/scan-tools.ts');
		const { describeFinding } = await import('../../../trust/scan/scan-finding.ts');
		const others = [...this.#servers.values()].filter((each) => each.server !== server);
		const scanned = this.#servers.get(server) ?? { server, tools: [] };
		this.#report(server, scanTools(scanned, others).map(describeFinding), log);
		setImmediate(() => void this.#scanNext()).unref();
	}

	#report(server: string, findings: readonly string[], log: Log): void {
		const fresh = findings.filter((text) => !this.#logged.has(`${server} ${text}`));
		for (const text of fresh) this.#logged.add(`${server} ${text}`);
		for (const text of fresh.slice(0, LOGGED_FINDINGS))
			log.warn(`a tool of the MCP server ${server} is suspicious: ${text}`);
		const more = fresh.length - LOGGED_FINDINGS;
		if (more > 0) log.warn(`${more} more are suspicious: mctl trust diff ${server}`);
	}
}

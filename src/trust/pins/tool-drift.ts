/* The difference between the tools of a server and its pins. */
import type { ToolHashes } from './tool-pin.ts';

/** The change of a tool. */
export type DriftKind = 'changed' | 'new' | 'removed';

/** One tool that is not as it was accepted. */
export interface DriftedTool {
	/** The server's own name of it. */
	readonly tool: string;
	readonly kind: DriftKind;
}

/** What was read of a server, such as a page, begins so in its pins: it is known only after it was read. */
const CONTENT = '(content of ';

/** The name of what was read of a server among its tools, by its own URI. No tool has such a name. */
export function contentItem(uri: string): string {
	return `${CONTENT}${uri})`;
}

/** Whether a name among the tools of a server is that of something that was read. */
export function isContentItem(name: string): boolean {
	return name.startsWith(CONTENT);
}

/** The tools that differ, by name. */
export function driftBetween(pinned: ToolHashes, current: ToolHashes): DriftedTool[] {
	const drifted: DriftedTool[] = [];
	for (const [tool, hash] of current) {
		const accepted = pinned.get(tool);
		if (accepted === undefined) drifted.push({ tool, kind: 'new' });
		else if (accepted !== hash) drifted.push({ tool, kind: 'changed' });
	}
	for (const tool of pinned.keys())
		if (!current.has(tool) && !isContentItem(tool)) drifted.push({ tool, kind: 'removed' });
	return drifted.sort((one, other) => (one.tool < other.tool ? -1 : 1));
}

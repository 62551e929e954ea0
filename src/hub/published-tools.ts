/* The tools of one backend under the names that clients of the hub see: those are the names of the policy. */
import type { Tool } from '../protocol/mcp-types.ts';
import type { Backend } from './backends/backend.ts';
import type { Hub } from './hub.ts';

/** The published name and the description of a tool; undefined when it is not listed. */
export async function publishedTool(
	hub: Hub,
	backend: Backend,
	ownName: string,
): Promise<{ name: string; tool: Tool } | undefined> {
	for (const [name, route] of (await hub.catalogue.tools()).routes) {
		if (route.backend === backend && route.name === ownName) return { name, tool: route.item };
	}
	return undefined;
}

/** Those of the own `tools` of a backend that the policy shows to a client. */
export async function shownTools(
	hub: Hub,
	{ backend, client }: { backend: Backend; client: string },
	tools: readonly Tool[],
): Promise<readonly Tool[]> {
	const shown = new Set((await hub.listToolsFor(client)).map(({ name }) => name));
	const hidden = new Set<string>();
	for (const [name, route] of (await hub.catalogue.tools()).routes) {
		if (route.backend === backend && !shown.has(name)) hidden.add(route.name);
	}
	return tools.filter(({ name }) => !hidden.has(name));
}

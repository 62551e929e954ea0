/*
 * Merge the sections of several files entry by entry.
 *
 * Of two files the first one wins, but rules and lists of both count, and the stricter pin.
 */
import type { HubSection, ToolsSection } from './configuration.ts';
import type { JsonDocument } from './jsonc.ts';
import type { FileSections } from './sections.ts';
import { stricterPin } from './server-settings.ts';
import { yieldingTo } from './trust/untrusted-sections.ts';

/** A file that was read. */
export interface ConfigFile {
	readonly file: string;
	readonly document: JsonDocument;
	/** What counts of it. */
	readonly sections: FileSections;
	/** False for a project file that the user does not trust. */
	readonly isTrusted: boolean;
}

/** In the order in which files count: those that are not trusted are last, and weaken nothing of the others. */
export function inEffect(files: readonly ConfigFile[]): readonly ConfigFile[] {
	const trusted = files.filter(({ isTrusted }) => isTrusted);
	const before = mergeSections(trusted);
	const others = files
		.filter(({ isTrusted }) => !isTrusted)
		.map((each) => ({ ...each, sections: yieldingTo(before, each.sections) }));
	return [...trusted, ...others];
}

/** Merge files, the strongest first. */
export function mergeSections(files: readonly ConfigFile[]): FileSections {
	return files.reduce((before, { sections }) => merge(before, sections), noSections);
}

export const noSections: FileSections = {
	mcpServers: [],
	tools: { roots: undefined, examples: undefined, config: {}, timeoutMs: undefined, timeouts: {} },
	library: { prompts: undefined, resources: undefined },
	plugins: [],
	hub: {
		listenAddress: undefined,
		tcpAddress: undefined,
		certsDir: undefined,
		httpAddress: undefined,
		httpPublic: undefined,
		httpCert: undefined,
		httpKey: undefined,
		idleMs: undefined,
	},
	limits: {},
	pin: undefined,
	policy: [],
	toolList: { expose: undefined, exposeAbove: undefined, always: [] },
	views: {},
	clients: {},
	fabric: undefined,
};

/** `first` wins entry by entry; entries only in `second` are added. */
function merge(first: FileSections, second: FileSections): FileSections {
	return {
		mcpServers: mergeBy(first.mcpServers, second.mcpServers, ({ name }) => name),
		tools: mergeTools(first.tools, second.tools),
		library: {
			prompts: first.library.prompts ?? second.library.prompts,
			resources: first.library.resources ?? second.library.resources,
		},
		plugins: mergeBy(first.plugins, second.plugins, ({ id }) => id),
		hub: mergeHub(first.hub, second.hub),
		limits: { ...second.limits, ...first.limits },
		pin: stricterPin(first.pin, second.pin),
		policy: [...first.policy, ...second.policy],
		toolList: {
			expose: first.toolList.expose ?? second.toolList.expose,
			exposeAbove: first.toolList.exposeAbove ?? second.toolList.exposeAbove,
			always: [...new Set([...first.toolList.always, ...second.toolList.always])],
		},
		views: { ...second.views, ...first.views },
		clients: { ...second.clients, ...first.clients },
		fabric: first.fabric ?? second.fabric,
	};
}

function mergeHub(first: HubSection, second: HubSection): HubSection {
	return {
		listenAddress: first.listenAddress ?? second.listenAddress,
		tcpAddress: first.tcpAddress ?? second.tcpAddress,
		certsDir: first.certsDir ?? second.certsDir,
		httpAddress: first.httpAddress ?? second.httpAddress,
		httpPublic: first.httpPublic ?? second.httpPublic,
		httpCert: first.httpCert ?? second.httpCert,
		httpKey: first.httpKey ?? second.httpKey,
		idleMs: first.idleMs ?? second.idleMs,
	};
}

function mergeTools(first: ToolsSection, second: ToolsSection): ToolsSection {
	const { sandbox = second.sandbox, limits = second.limits } = first;
	const sandboxes = (first.sandboxes ?? second.sandboxes) && { ...second.sandboxes, ...first.sandboxes };
	const roots = [...new Set([...(first.roots ?? []), ...(second.roots ?? [])])];
	const untrustedFolder = first.untrustedFolder ?? second.untrustedFolder;
	return {
		roots: first.roots === undefined && second.roots === undefined ? undefined : roots,
		examples: first.examples ?? second.examples,
		config: { ...second.config, ...first.config },
		timeoutMs: first.timeoutMs ?? second.timeoutMs,
		timeouts: { ...second.timeouts, ...first.timeouts },
		...(sandboxes && { sandboxes }),
		...(sandbox && { sandbox }),
		...(limits && { limits }),
		...(untrustedFolder !== undefined && { untrustedFolder }),
	};
}

function mergeBy<T>(first: readonly T[], second: readonly T[], keyOf: (entry: T) => string): T[] {
	const taken = new Set(first.map(keyOf));
	return [...first, ...second.filter((entry) => !taken.has(keyOf(entry)))];
}

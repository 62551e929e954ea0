/*
 * What a hub knows about its fabric, for commands, the dashboard and metrics. Types only:
 * the fabric is a layer above, and is loaded with the setting only, and the page in the browser
 * has no types of Node.js. Times are milliseconds since 1970.
 */

/** The connection to the NATS servers. */
export interface FabricLinkFacts {
	readonly state: 'up' | 'suspect' | 'down';
	/** Why it is suspect or down. */
	readonly reason: string | null;
	/** The server that it is connected to; null while it is down. */
	readonly server: string | null;
	/** The name of the cluster of that server; null when it has none. */
	readonly cluster: string | null;
	/** The version of that server. */
	readonly version: string | null;
	/** Connections that were made since the start. */
	readonly connects: number;
	/** Connections that were lost. */
	readonly losses: number;
}

/** A worker as it describes itself. */
export interface WorkerFacts {
	readonly name: string;
	/** The version of its program; null for one that does not say. */
	readonly version: string | null;
	readonly labels: readonly string[];
	/** Calls of all hubs that it ran when it last said so. */
	readonly running: number;
	/** How many calls it runs at once, of all hubs and of one; null without a configured limit. */
	readonly limit: number | null;
	readonly hubLimit: number | null;
	/** It finishes its calls and accepts no more. */
	readonly isDraining: boolean;
}

/** A worker as a hub sees it. */
export interface KnownWorker extends WorkerFacts {
	readonly heardAt: number;
	/** Calls of this hub that it accepted, and of those the ones that have not ended. */
	readonly calls: number;
	readonly inFlight: number;
	/** The calls among them whose outcome is unknown. */
	readonly unknown: number;
}

/** The tools of equal workers. */
export interface FabricGroup {
	readonly name: string;
	readonly tools: number;
	/** The action when it changes its tools; a word of the setting `fabric.pin`. */
	readonly pin: string;
	/** Tools that are not as they were accepted. */
	readonly drifted: number;
	/** The tools among them that are not listed. */
	readonly quarantined: number;
	readonly workers: readonly KnownWorker[];
}

/** A call that did not run, or whose outcome is unknown. */
export interface FabricFailure {
	readonly at: number;
	readonly group: string;
	readonly tool: string;
	/** The worker that had accepted it. */
	readonly worker: string | null;
	readonly outcome: 'not_run' | 'unknown' | 'ran';
	readonly message: string;
}

/** The fabric as a hub sees it that uses the tools of others. */
export interface FabricOverview {
	/** The name of this hub. */
	readonly name: string;
	readonly link: FabricLinkFacts;
	/** Sorted by name. */
	readonly groups: readonly FabricGroup[];
	readonly inFlight: number;
	/** Calls that failed on the way, since the start. */
	readonly failed: Readonly<Record<FabricFailure['outcome'], number>>;
	/** The last ones, the newest first. */
	readonly failures: readonly FabricFailure[];
}

/** A hub or worker that has a key, as the machine knows it where the keys were made. */
export interface FabricMember {
	readonly name: string;
	/** The group that it serves; undefined for a hub that announces no tools. */
	readonly offers?: string | undefined;
	/** The groups that it may call; `*` for all. */
	readonly calls: readonly string[];
	/** It has a new key, and the old one is still valid. */
	readonly isRotating: boolean;
}

/** The other side: the tools that this hub or worker announces. */
export interface WorkerOverview {
	readonly name: string;
	readonly group: string;
	readonly link: FabricLinkFacts;
	readonly tools: number;
	/** Whether other hubs can call it now. */
	readonly isReady: boolean;
	readonly isDraining: boolean;
	/** Calls that run, by the calling hub. */
	readonly running: Readonly<Record<string, number>>;
	/** Calls that were accepted, by the calling hub. */
	readonly accepted: Readonly<Record<string, number>>;
	/** Calls that were refused, by the kind of the reason. */
	readonly refused: Readonly<Record<string, number>>;
}

/** Both sides as JSON: the tools of others that this hub uses, and those that it announces; each null when it does not. */
export interface FabricFacts {
	readonly use: FabricOverview | null;
	readonly offer: WorkerOverview | null;
}

/** A source that uses the tools of other hubs. */
export interface FabricView {
	overview(): FabricOverview;
}

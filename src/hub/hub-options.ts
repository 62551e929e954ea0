/* What a hub needs of others: its deps and settings. */
import type { Log } from '../log.ts';
import type { CallGate } from '../trust/call-gate.ts';
import type { Middleware } from './calls/middleware.ts';
import type { ToolExposure } from './expose/tool-exposure.ts';
import type { Journal } from './journal/journal.ts';
import type { LoopGuard } from './loops/loop-guard.ts';
import type { ResultSource } from './results/result-source.ts';
import type { ConnectedClients } from './sessions/connected-clients.ts';
import type { Source } from './source.ts';
import type { HubTasks } from './tasks/hub-tasks.ts';

/** Options of a `Hub`. */
export interface HubOptions {
	sources?: readonly Source[];
	log?: Log;
	/** The clients that are connected, for sources that need them. */
	clients?: ConnectedClients;
	journal?: Journal;
	/** How long a list waits for a source that has not answered, in milliseconds. Default 2 s. */
	listWaitMs?: () => number | undefined;
	/** A sentence: why the server of a tool is left out of the configuration. */
	unusedReason?: (tool: string) => string | undefined;
	/** A sentence about servers of the project that the user has to trust first. */
	untrusted?: () => string | undefined;
	/** The instructions of the hub itself for clients that connect. */
	instructions?: () => string | undefined;
	/** Shortens large results; one of `sources`. Default: results of any size are sent. */
	results?: ResultSource;
	/** The view that filters the tools of clients. Default: all of them. */
	exposure?: ToolExposure;
	/** The id of this hub, for other hubs. */
	id?: () => string | undefined;
	/** Records the spans of calls. Default: none are exported. */
	trace?: Middleware | undefined;
	/** Calls that go on when their client is gone. Default: there are none. */
	tasks?: HubTasks | undefined;
	/** Limits the calls of each client. Default: any number. */
	loops?: LoopGuard;
	/** The policy. Default: every call is allowed. */
	gate?: CallGate;
}

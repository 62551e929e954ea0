/* The parts that a hub is made of. */
import type { Log } from '../log.ts';
import type { CallGate } from '../trust/call-gate.ts';
import type { Backend } from './backends/backend.ts';
import type { ConnectedClients } from './connected-clients.ts';
import type { ToolExposure } from './expose/tool-exposure.ts';
import type { Journal } from './journal.ts';
import type { BigResults } from './results/big-results.ts';

/** Options of a `Hub`. */
export interface HubOptions {
	backends?: readonly Backend[];
	log?: Log;
	/** The clients that are connected, for backends that need them. */
	clients?: ConnectedClients;
	journal?: Journal;
	/** How long a list waits for a backend that has not answered, in milliseconds. Default 2 s. */
	listWaitMs?: () => number | undefined;
	/** A sentence: why the server of a tool is left out of the configuration. */
	unusedReason?: (tool: string) => string | undefined;
	/** What the hub itself has to say to clients that connect. */
	instructions?: () => string | undefined;
	/** Shortens large results; one of `backends`. Default: results of any size are sent. */
	results?: BigResults;
	/** What clients see of the tools. Default: all of them. */
	exposure?: ToolExposure;
	/** The policy. Default: every call is allowed. */
	gate?: CallGate;
}

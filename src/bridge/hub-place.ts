/* Where a hub is, and who may talk to it. */
import type { OrchestraError } from '../errors.ts';

export interface HubPlace {
	/** `host:port`. */
	address: string;
	/** Folder of the certificates. Default `~/.orchestra/certs`. */
	certsDir?: string | undefined;
	/** What it is known to offer beyond the common protocol; else it is asked. */
	features?: readonly string[] | undefined;
	/** Values of variables to hand over when we register. Only for a hub of this user. */
	variables?: Readonly<Record<string, string>> | undefined;
	/** Why a hub that does not answer does not, when that can be seen from outside; undefined when it looks well. */
	diagnose?: (() => OrchestraError | undefined) | undefined;
}

/** Finds the hub, before every attempt to connect; may start one. */
export type FindHub = () => Promise<HubPlace>;

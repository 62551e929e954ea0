/* The endpoint of a hub: its address and certificates. */
import type { OrchestraError } from '../errors.ts';

export interface HubEndpoint {
	/** `host:port`. */
	address: string;
	/** Folder of the certificates. Default `~/.orchestra/certs`. */
	certsDir?: string | undefined;
	/** Its features, when they are known; else the registration returns them. */
	features?: readonly string[] | undefined;
	/** Environment variables to forward with the registration. Only for a hub of this user. */
	variables?: Readonly<Record<string, string>> | undefined;
	/** What started this bridge, for a hub that refuses its own children. */
	startedBy?: string | undefined;
	/** False when another hub is to be used by now. */
	isCurrent?: (() => boolean) | undefined;
	/** Why the hub does not answer, as far as other processes can see; undefined when it looks healthy. */
	diagnose?: ((silentMs: number) => OrchestraError | undefined) | undefined;
}

/** Finds the hub before every connection attempt; may start one. */
export type FindHub = () => Promise<HubEndpoint>;

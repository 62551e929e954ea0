/* Where a hub is, and who may talk to it. */

export interface HubPlace {
	/** `host:port`. */
	address: string;
	/** Folder of the certificates. Default `~/.orchestra/certs`. */
	certsDir?: string | undefined;
	/** What it is known to offer beyond the common protocol; else it is asked. */
	features?: readonly string[] | undefined;
}

/** Finds the hub, before every attempt to connect; may start one. */
export type FindHub = () => Promise<HubPlace>;

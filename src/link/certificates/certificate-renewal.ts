/*
 * A listener may run for longer than its certificates are valid. It looks from time to
 * time, and not only when a peer connects: the first peer after the end would be refused.
 * Connections that are open stay; new ones use the renewed identity.
 */
import { messageOf } from '../../errors.ts';
import { Log } from '../../log.ts';
import type { Identity, ListenOptions } from '../link.ts';
import { RENEWAL_CHECK_MS } from '../link-limits.ts';
import { loadIdentity } from './certificates.ts';

/** Call `use` with each renewed identity of a listener, until the returned function is called. */
export function renewCertificates(
	{ identity, renewalCheckMs = RENEWAL_CHECK_MS, log = Log.silent }: ListenOptions,
	use: (identity: Identity) => void,
): () => void {
	let current = identity;
	let isLoading = false;
	const renew = async (folder: string): Promise<void> => {
		isLoading = true;
		try {
			current = await loadIdentity(folder, identity.name);
			use(current);
			log.info('the certificate of the listener was renewed');
		} catch (error) {
			log.warn(`the certificate of the listener cannot be renewed: ${messageOf(error)}`);
		} finally {
			isLoading = false;
		}
	};
	const check = (): void => {
		const { renewal } = current;
		if (renewal && !isLoading && Date.now() >= renewal.dueAt.getTime()) void renew(renewal.folder);
	};
	const timer = setInterval(check, renewalCheckMs).unref();
	return () => clearInterval(timer);
}

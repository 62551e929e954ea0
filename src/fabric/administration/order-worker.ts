/* Orders of the administrator to a worker: `mctl fabric drain`. */
import { OrchestraError } from '../../errors.ts';
import { aborted } from '../../rpc/abortable.ts';
import { NO_RESPONDERS } from '../advertisements/bucket.ts';
import { ORDER_MS } from '../fabric-limits.ts';
import { readEnvelope } from '../fabric-message.ts';
import { controlSubject, NONE, noWorkerSubject, outFor, subjectRoute } from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';
import { randomId } from '../link/inbox-prefix.ts';
import type { Order } from '../worker/remote-run-table.ts';
import { ADMINISTRATOR } from './server-config.ts';

export interface OrderOptions {
	readonly worker: string;
	readonly order: Order;
	/** The worker accepted it, and runs so many calls. */
	readonly onAccepted: (running: number) => void;
	readonly signal: AbortSignal;
}

const PROCESS_CHARACTERS = 8;

/** Resolves with the sentence of the worker when it is done, which takes as long as its calls. Throws `not_found` for no such worker. */
export async function orderWorker(link: FabricLink, options: OrderOptions): Promise<string> {
	const { worker, order, signal } = options;
	const process = randomId().slice(0, PROCESS_CHARACTERS);
	const call = `${process}.${randomId()}`;
	let timer: NodeJS.Timeout | undefined;
	const answered = new Promise<string>((resolve, reject) => {
		timer = setTimeout(() => reject(silent(worker)), ORDER_MS);
		link.listen({
			denied: (_operation, subject) => reject(notPermitted(subject)),
			down: () => reject(new OrchestraError('closed', `the link to the fabric is down: ${link.downReason}`)),
		});
		link.subscribe(outFor(ADMINISTRATOR, process), (message) => {
			const { kind, reason = '' } = readEnvelope(message);
			const isFromServer = subjectRoute(message.subject)?.first === NONE;
			if (isFromServer && message.headers?.code === NO_RESPONDERS) reject(noSuchWorker(worker));
			clearTimeout(timer);
			if (kind === 'accepted') options.onAccepted(Number(reason));
			else if (kind === 'result') resolve(reason);
			else if (kind === 'refused') reject(new OrchestraError('tool_failed', `${worker} refused: ${reason}`));
		});
	});
	link.publish(
		controlSubject(worker, ADMINISTRATOR, call),
		{ kind: order },
		'',
		noWorkerSubject(ADMINISTRATOR, call),
	);
	const ended = await Promise.race([answered, aborted(signal)]).finally(() => clearTimeout(timer));
	signal.throwIfAborted();
	return ended ?? '';
}

function noSuchWorker(worker: string): OrchestraError {
	return new OrchestraError('not_found', `no worker called ${worker} is connected`, {
		hint: 'mctl fabric status shows the workers.',
	});
}

/** One of an earlier version does not know orders. */
function silent(worker: string): OrchestraError {
	return new OrchestraError('timeout', `${worker} has not answered in ${ORDER_MS / 1000} s`, {
		hint: 'It may hang, or be too old: stop its process with SIGTERM, which drains it as well.',
	});
}

function notPermitted(subject: string): OrchestraError {
	return new OrchestraError('bad_input', `the NATS server does not permit ${subject}`, {
		hint: 'Print its configuration again with mctl fabric config, and reload it.',
	});
}

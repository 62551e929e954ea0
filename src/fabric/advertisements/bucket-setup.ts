/*
 * The stream behind the bucket of the fabric.
 *
 * No roll-ups and no purge: with them a member could empty the bucket with a header. So
 * the server leaves no marker for an expired key; hubs notice the silence themselves.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import { isObject } from '../../wire/json.ts';
import { BUCKET_BYTES, MESSAGE_BYTES } from '../fabric-limits.ts';
import { CATALOGUE_SUBJECT, keySubject, STREAM } from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';

const CLUSTER_REPLICAS = 3;
/** Codes of JetStream. */
const OTHER_CONFIGURATION = 10_058;
const REPLICAS_NOT_SUPPORTED = 10_074;
const NO_LEADER = 10_008;

/** Do something with the bucket; when there is none yet, make it first. Throws `bad_input` when we may not make it. */
export async function withBucket<T>(link: FabricLink, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!isNoResponders(error) && !OrchestraError.is(error, 'not_found')) throw error;
	}
	await createBucket(link);
	return work();
}

/** Make the bucket, or give it the present configuration; the number of its replicas. Throws `bad_input` when we may not. */
export async function createBucket(link: FabricLink): Promise<number> {
	let replicas = link.info?.cluster === undefined ? 1 : CLUSTER_REPLICAS;
	let problem = await configure(link, 'CREATE', replicas);
	if (problem?.code === REPLICAS_NOT_SUPPORTED) {
		replicas = 1;
		problem = await configure(link, 'CREATE', replicas);
	}
	if (problem?.code === OTHER_CONFIGURATION) problem = await configure(link, 'UPDATE', replicas);
	if (problem === undefined) return replicas;
	throw new OrchestraError('io', `the NATS server did not make the bucket of the fabric: ${problem.text}`, {
		hint: 'A cluster needs three servers with JetStream. mctl fabric setup tries again.',
	});
}

/** Undefined when it is done. */
async function configure(
	link: FabricLink,
	verb: 'CREATE' | 'UPDATE',
	replicas: number,
): Promise<{ code: unknown; text: string } | undefined> {
	const wanted = {
		name: STREAM,
		subjects: [keySubject('>')],
		storage: 'file',
		retention: 'limits',
		discard: 'new',
		max_msgs_per_subject: 1,
		max_bytes: BUCKET_BYTES,
		max_msg_size: MESSAGE_BYTES,
		num_replicas: replicas,
		allow_direct: true,
		allow_rollup_hdrs: false,
		deny_delete: true,
		deny_purge: true,
		allow_msg_ttl: true,
		republish: { src: keySubject('>'), dest: `${CATALOGUE_SUBJECT}.>` },
	};
	try {
		const answer = await link.request(`$JS.API.STREAM.${verb}.${STREAM}`, JSON.stringify(wanted));
		const read: unknown = answer.json();
		const error = isObject(read) ? read['error'] : 'no answer';
		if (error === undefined) return undefined;
		const { err_code: code, description } = isObject(error) ? error : {};
		const shown = description ?? error;
		const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
		if (code === NO_LEADER) throw new OrchestraError('timeout', text);
		return { code, text };
	} catch (error) {
		if (link.info?.cluster !== undefined && isSilence(error))
			throw new OrchestraError('timeout', bucketProblem(link, error), {
				cause: error,
				hint: 'A new cluster takes 4 to 10 s. If it lasts, start the other servers.',
			});
		if (!isRefusal(error)) throw error;
		const { cluster } = link.info ?? {};
		// A member without the right to make the bucket cannot tell one from the other.
		const problem =
			cluster === undefined
				? 'the NATS servers have no bucket for the fabric yet'
				: `the cluster ${cluster} elects a leader of the bucket, or has no bucket for the fabric yet`;
		throw new OrchestraError('bad_input', problem, {
			cause: error,
			hint: 'Run mctl fabric setup where the key of the administrator is.',
		});
	}
}

/**
 * What a failure to use the bucket means. Without a leader, the servers of a cluster do not answer, or answer as if
 * there were no bucket.
 *
 * @param wasThere whether this member has used the bucket before
 */
export function bucketProblem(link: FabricLink, error: unknown, wasThere = false): string {
	const hasNoLeader = isSilence(error) || (wasThere && OrchestraError.is(error, 'bad_input'));
	if (link.info?.cluster === undefined || !hasNoLeader) return messageOf(error);
	return `the cluster ${link.info.cluster} elects a leader of the bucket, or has lost more than half of its servers`;
}

function isSilence(error: unknown): boolean {
	return isNoResponders(error) || OrchestraError.is(error, 'not_found') || isTimeout(error);
}

/** Ours, or that of the client library. */
function isTimeout(error: unknown): boolean {
	return OrchestraError.is(error, 'timeout') || (error instanceof Error && error.name === 'TimeoutError');
}

/** The error of the client library for a request without a responder. */
function isNoResponders(error: unknown): boolean {
	if (!(error instanceof Error) || !('isNoResponders' in error)) return false;
	return typeof error.isNoResponders === 'function' && error.isNoResponders() === true;
}

/** The error of the client library for a request that the server does not permit. */
function isRefusal(error: unknown): boolean {
	const { cause } = error instanceof Error ? error : {};
	return cause instanceof Error && cause.name === 'PermissionViolationError';
}

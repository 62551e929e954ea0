/* The check of the setting `fabric` for `mctl doctor`: what can be checked here, and with `--check` what the servers say. */
import { X509Certificate } from 'node:crypto';
import type { FabricSection } from '../../config/configuration.ts';
import { type FabricReport, fabricReport } from '../../fabric/administration/fabric-report.ts';
import { usesTls } from '../../fabric/link/server-check.ts';
import { packageVersion } from '../../files/package-version.ts';
import { readRegularFile } from '../../files/regular-file.ts';
import type { FabricFacts } from '../../hub/fabric-overview.ts';
import { resolveSecret } from '../../secrets/resolve-secret.ts';
import { CERTIFICATE_SOON_MS, RECENT_FAILURES_MS } from '../cli-limits.ts';
import { remoteCalls } from '../fabric/remote-call-counts.ts';
import { linkLines, runningFabric } from '../fabric/running-fabric.ts';
import { formatCounted } from '../terminal/quantity.ts';
import type { DoctorContext, DoctorFinding } from './doctor-checks.ts';
import { failure } from './failure.ts';

export async function* checkFabricSettings(context: DoctorContext): AsyncGenerator<DoctorFinding> {
	const { project, environment, contacts } = context;
	const { fabric } = project.configuration;
	if (fabric === undefined) return;
	try {
		const isTls = usesTls(fabric.servers);
		yield* checkAuthority(fabric);
		yield await checkCredentials(fabric, { isTls, environment });
		if (!contacts) return;
		yield* linkFindings(await runningFabric(context));
		yield* serverFindings(await fabricReport(fabric, environment));
		yield* failedCalls(context);
	} catch (error) {
		yield failure(error, 'fabric: ', 'Correct fabric.servers or fabric.ca.');
	}
}

function* checkAuthority({ ca }: FabricSection): Generator<DoctorFinding> {
	if (ca === undefined) return;
	const { validTo } = new X509Certificate(readRegularFile(ca));
	const leftMs = Date.parse(validTo) - Date.now();
	const verdict = leftMs <= 0 ? 'fail' : leftMs < CERTIFICATE_SOON_MS ? 'warn' : 'ok';
	const fix =
		'Run mctl fabric config --cluster again, and copy the files to the nodes and ca.pem to the members.';
	yield { verdict, text: `fabric.ca is valid until ${validTo}`, fix: verdict === 'ok' ? undefined : fix };
}

async function checkCredentials(
	{ name, servers, credentials }: FabricSection,
	{ isTls, environment }: { isTls: boolean; environment: Readonly<NodeJS.ProcessEnv> },
): Promise<DoctorFinding> {
	if (typeof credentials === 'object') await resolveSecret(credentials, { environment });
	const text = `fabric: ${name} uses ${servers.join(', ')}`;
	if (credentials !== undefined || !isTls) return { verdict: 'ok', text };
	return {
		verdict: 'warn',
		text: `${text} without a key`,
		fix: `mctl fabric invite ${name} makes one; set fabric.credentials.`,
	};
}

/** The connections of the running hub: the servers may answer this command, and not the hub. */
function* linkFindings(hub: FabricFacts | null): Generator<DoctorFinding> {
	for (const { state, text } of linkLines(hub)) {
		const verdict = { up: 'ok', suspect: 'warn', down: 'fail' } as const;
		const fix = 'It connects again by itself. If it does not: mctl hub logs, and the network to the servers.';
		yield { verdict: verdict[state], text: `fabric: ${text}`, fix: state === 'up' ? undefined : fix };
	}
}

/** The last failure within a day. */
function* failedCalls({ cwd, environment }: DoctorContext): Generator<DoctorFinding> {
	const since = Date.now() - RECENT_FAILURES_MS;
	const last = remoteCalls({ cwd, environment }).failures.findLast(({ at }) => Date.parse(at) >= since);
	if (last === undefined) return;
	yield {
		verdict: 'warn',
		text: `fabric: calls failed, the last at ${last.text}`,
		fix: 'mctl log --failed has them; the journal of the worker says whether a call arrived there.',
	};
}

function* serverFindings({
	server,
	version,
	cluster,
	replicas,
	offers,
}: FabricReport): Generator<DoctorFinding> {
	yield { verdict: 'ok', text: `fabric: ${server} answers (nats-server ${version})` };
	if (cluster !== null && replicas === 1)
		yield {
			verdict: 'warn',
			text: `fabric: the bucket has one replica in the cluster ${cluster}`,
			fix: 'Run mctl fabric setup when all servers are up: the loss of one of them then loses nothing.',
		};
	for (const { name, tools, workerFacts } of offers) {
		const draining = workerFacts.filter(({ isDraining }) => isDraining);
		const counts = `${formatCounted(workerFacts.length, 'worker')}, ${formatCounted(tools, 'tool')}`;
		if (draining.length === 0) yield { verdict: 'ok', text: `fabric: ${name} has ${counts}` };
		else
			yield {
				verdict: 'warn',
				text: `fabric: ${name} has ${counts}; draining: ${draining.map((worker) => worker.name).join(', ')}`,
				fix: 'mctl fabric drain <worker> --resume lets one accept calls again.',
			};
	}
	const versions = new Set(
		offers.flatMap(({ workerFacts }) => workerFacts.map((worker) => worker.version ?? 'old')),
	);
	versions.add(packageVersion());
	if (versions.size > 1)
		yield {
			verdict: 'warn',
			text: `fabric: the versions differ: ${[...versions].sort().join(', ')}`,
			fix: 'They work together; upgrade workers first, then hubs.',
		};
}

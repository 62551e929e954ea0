/* A request of a command to the running hub over its link: open the dashboard, start or stop a server. */
import { OrchestraError } from '../../errors.ts';
import { CONTROL_CLIENT, type ControlRequest, HUB_CONTROL } from '../../hub/shared/hub-control.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { loadIdentity, ORCHESTRATOR_NAME } from '../../link/certificates/certificates.ts';
import { PluginClient } from '../../plugin/client/plugin-client.ts';
import type { ToolResponse } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { JsonObject } from '../../wire/json.ts';
import { CONTROL_ANSWER_MS, HUB_DIAL_MS } from '../cli-limits.ts';
import { isErrorCode } from '../exit.ts';

/** Send it and return the answer. Throws what the hub reports. */
export async function controlHub(
	record: HubRecord,
	request: ControlRequest,
	signal: AbortSignal,
): Promise<JsonObject> {
	if (!record.features?.includes(HUB_CONTROL)) throw tooOld(record);
	const identity = await loadIdentity(record.certsDir, CONTROL_CLIENT);
	const { address } = record;
	const client = await PluginClient.connect({
		address,
		identity,
		peerName: ORCHESTRATOR_NAME,
		handshakeMs: HUB_DIAL_MS,
		keepsSpare: false, // a hub that shall end must see no other connection than this one
	});
	try {
		const value = { toolName: HUB_CONTROL, arguments: { ...request } };
		const options = { signal, timeoutMs: CONTROL_ANSWER_MS };
		const answer = await client.ask({ case: 'toolCall', value }, 'toolCall', options);
		if (answer.success) return answer.result ?? {};
		throw failureOf(answer);
	} finally {
		await client.close();
	}
}

function failureOf(answer: Pick<ToolResponse, 'errorCode' | 'errorMessage' | 'result'>): OrchestraError {
	const { errorCode, errorMessage, result } = answer;
	const code = isErrorCode(errorCode) ? errorCode : 'internal';
	const hint = result?.['hint'];
	return new OrchestraError(code, errorMessage, { hint: typeof hint === 'string' ? hint : undefined });
}

function tooOld({ pid }: HubRecord): OrchestraError {
	return new OrchestraError('bad_input', `the hub, process ${pid}, is older than this mctl`, {
		hint: 'Stop it with mctl hub stop; the next command starts the new one.',
	});
}

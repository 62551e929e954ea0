/*
 * Requests of `mctl` to the running hub: open the dashboard, start or stop one server, end.
 *
 * They are a tool request of the plugin protocol with a name that no tool has, on the
 * local link and with the certificate of `mctl` only. An agent behind a bridge sends MCP
 * messages through a tunnel and cannot send one: else it could let itself in where a
 * user approves its calls.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import { OrchestraError } from '../../errors.ts';
import type { LinkPeer } from '../../link/link.ts';
import type { ToolResponseSchema } from '../../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers, ServerCall } from '../../plugin/server/handlers.ts';
import { redact } from '../../redact.ts';
import type { JsonObject, JsonValue } from '../../wire/json.ts';
import type { Hub } from '../hub.ts';
import { able, type ProcessAction } from '../source.ts';
import type { HttpSwitch } from './http-switch.ts';

/** The name of the tool request, and of the feature in the record of a hub that serves it. */
export const HUB_CONTROL = 'orchestra/hub-control';
/** The certificate of `mctl`. */
export const CONTROL_CLIENT = 'mctl-client';
/** Loopback, any free port. */
export const LOCAL_HTTP_ADDRESS = '127.0.0.1:0';

/** A request: the URL of the dashboard, an HTTP listener, the end of an idle hub, or a change of one server. */
export type ControlRequest =
	| { readonly action: 'dashboard' }
	| { readonly action: 'http'; readonly address: string }
	| { readonly action: 'retire' }
	| { readonly action: ProcessAction; readonly server: string };

export interface ControlDeps {
	readonly hub: () => Hub;
	readonly http: HttpSwitch;
	/** End the hub if it is idle, because a bridge asks for it. */
	readonly retire: (peer: LinkPeer) => RetirementAnswer;
}

/** `connected`: no client uses it, but there is another connection, which may be about to end. */
export type RetirementAnswer = 'retired' | 'used' | 'connected';

/** Wrap the handlers: control requests are answered here. */
export function withControl(handlers: PluginHandlers, deps: ControlDeps): PluginHandlers {
	return {
		...handlers,
		async toolCall(request, call) {
			if (request.toolName === HUB_CONTROL && isSelfCommand(call))
				return answer(request.arguments ?? {}, deps, call);
			return handlers.toolCall?.(request, call) ?? { success: false, errorCode: 'tool_not_found' };
		},
	};
}

/** Start, stop or restart the process of a source. Throws `not_found`, or the reason why it does not start. */
export async function controlServer(hub: Hub, action: ProcessAction, id: string): Promise<void> {
	const source = hub.sources.find((each) => each.id === id);
	const controlled = able(source, 'control');
	if (controlled) return controlled.control(action);
	const names = hub.sources.filter((each) => able(each, 'control')).map((each) => each.id);
	const what = source ? `${id} has no process of its own` : `the hub has no server or plugin "${id}"`;
	throw new OrchestraError('not_found', what, {
		hint: names.length > 0 ? `There are: ${names.join(', ')}.` : 'mctl add adds a server.',
	});
}

function isSelfCommand({ peer }: ServerCall): boolean {
	const isLocal = peer.kind === 'unix' || /^(?:127\.|\[?::1\]?)/.test(peer.address);
	return isLocal && peer.name === CONTROL_CLIENT;
}

async function answer(
	request: JsonObject,
	deps: ControlDeps,
	call: ServerCall,
): Promise<MessageInitShape<typeof ToolResponseSchema>> {
	try {
		return { success: true, result: await carryOut(request, deps, call) };
	} catch (thrown) {
		const { code, message, hint } = OrchestraError.from(thrown);
		return {
			success: false,
			errorCode: code,
			errorMessage: redact(message),
			result: hint === undefined ? {} : { hint: redact(hint) },
		};
	}
}

function textOf(value: JsonValue | undefined): string {
	return typeof value === 'string' ? value : '';
}

async function carryOut(
	{ action, address, server }: JsonObject,
	{ hub, http, retire }: ControlDeps,
	{ peer }: ServerCall,
): Promise<JsonObject> {
	if (action === 'retire') return { answer: retire(peer) };
	if (action === 'dashboard') {
		const opened = await http.ensure(LOCAL_HTTP_ADDRESS);
		const url = opened.dashboardUrl?.();
		if (url === undefined) throw new OrchestraError('not_found', 'this hub has no dashboard');
		return { url };
	}
	if (action === 'http') return { url: (await http.ensure(textOf(address))).url };
	if (action !== 'start' && action !== 'stop' && action !== 'restart')
		throw new OrchestraError('bad_input', `the hub cannot do "${textOf(action)}"`, {
			hint: 'It may be older than this mctl: mctl hub stop ends it.',
		});
	await controlServer(hub(), action, textOf(server));
	return {};
}

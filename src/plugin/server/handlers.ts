/* The handlers of a server of the protocol, one for each kind of request. All are optional. */
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import type { LinkPeer } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import type { Transport } from '../../transport/transport.ts';
import type * as pb from '../gen/orchestra/plugin/v1/plugin_pb.ts';

type Handler<Request, Schema extends DescMessage> = (
	request: Request,
	call: ServerCall,
) => Awaitable<MessageInitShape<Schema>>;

/** The context of a request. */
export interface ServerCall {
	readonly requestId: string;
	readonly peer: LinkPeer;
	/** Aborted when the caller cancels or disconnects. */
	readonly signal: AbortSignal;
}

/** The context of a streaming call. */
export interface StreamingCall extends ServerCall {
	/** Send one chunk. Await it for backpressure. */
	readonly chunk: (data: Uint8Array, contentType?: string) => Promise<void>;
}

/** The context of a subscription. */
export interface SubscribedCall extends ServerCall {
	/** Deliver one event. False when the subscriber is gone. */
	readonly deliver: (event: MessageInitShape<typeof pb.EventDeliverySchema>) => boolean;
}

/** The handlers of a server of the plugin protocol. */
export interface PluginHandlers {
	/** Receives one line for each message that is dropped because it is too large. Default: none. */
	readonly log?: Log;
	register?: Handler<pb.PluginManifest, typeof pb.RegistrationResultSchema>;
	boot?: Handler<pb.BootRequest, typeof pb.BootResultSchema>;
	shutdown?: Handler<pb.ShutdownRequest, typeof pb.ShutdownResultSchema>;
	health?: Handler<pb.HealthRequest, typeof pb.HealthResultSchema>;
	toolCall?: Handler<pb.ToolRequest, typeof pb.ToolResponseSchema>;
	listTools?: Handler<pb.ListToolsRequest, typeof pb.ListToolsResponseSchema>;
	listPrompts?: Handler<pb.ListPromptsRequest, typeof pb.ListPromptsResponseSchema>;
	promptGet?: Handler<pb.PromptGetRequest, typeof pb.PromptGetResponseSchema>;
	storageRead?: Handler<pb.StorageReadRequest, typeof pb.StorageReadResponseSchema>;
	storageWrite?: Handler<pb.StorageWriteRequest, typeof pb.StorageWriteResponseSchema>;
	storageDelete?: Handler<pb.StorageDeleteRequest, typeof pb.StorageDeleteResponseSchema>;
	storageList?: Handler<pb.StorageListRequest, typeof pb.StorageListResponseSchema>;
	/** Send chunks until done; throwing ends the stream with an error. */
	streamStart?(request: pb.StreamStart, call: StreamingCall): Awaitable<void>;
	/** Called once; deliver until the signal is aborted. */
	subscribe?(request: pb.Subscribe, call: SubscribedCall): Awaitable<void>;
	unsubscribe?(request: pb.Unsubscribe, call: ServerCall): Awaitable<void>;
	publish?(request: pb.Publish, call: ServerCall): Awaitable<void>;
	/** An MCP tunnel was opened. The handler starts the transport and closes it. */
	tunnel?(tunnel: Transport, call: ServerCall): void;
}

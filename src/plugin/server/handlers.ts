/* The handlers of a server of the plugin protocol: one per kind of request, all optional. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { LinkPeer } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import type { Transport } from '../../transport/transport.ts';
import type * as pb from '../gen/orchestra/plugin/v1/plugin_pb.ts';

type Answer<T> = T | Promise<T>;

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
	register?(
		manifest: pb.PluginManifest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.RegistrationResultSchema>>;
	boot?(request: pb.BootRequest, call: ServerCall): Answer<MessageInitShape<typeof pb.BootResultSchema>>;
	shutdown?(
		request: pb.ShutdownRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.ShutdownResultSchema>>;
	health?(
		request: pb.HealthRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.HealthResultSchema>>;
	toolCall?(
		request: pb.ToolRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.ToolResponseSchema>>;
	listTools?(
		request: pb.ListToolsRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.ListToolsResponseSchema>>;
	listPrompts?(
		request: pb.ListPromptsRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.ListPromptsResponseSchema>>;
	promptGet?(
		request: pb.PromptGetRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.PromptGetResponseSchema>>;
	storageRead?(
		request: pb.StorageReadRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.StorageReadResponseSchema>>;
	storageWrite?(
		request: pb.StorageWriteRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.StorageWriteResponseSchema>>;
	storageDelete?(
		request: pb.StorageDeleteRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.StorageDeleteResponseSchema>>;
	storageList?(
		request: pb.StorageListRequest,
		call: ServerCall,
	): Answer<MessageInitShape<typeof pb.StorageListResponseSchema>>;
	/** Send chunks until done; a thrown error ends the stream with an error. */
	streamStart?(request: pb.StreamStart, call: StreamingCall): Answer<void>;
	/** Called once; deliver until the signal is aborted. */
	subscribe?(request: pb.Subscribe, call: SubscribedCall): Answer<void>;
	unsubscribe?(request: pb.Unsubscribe, call: ServerCall): Answer<void>;
	publish?(request: pb.Publish, call: ServerCall): Answer<void>;
	/** An MCP tunnel was opened. The handler starts the transport and closes it. */
	tunnel?(tunnel: Transport, call: ServerCall): void;
}

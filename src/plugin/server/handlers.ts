/* What a server of the protocol can answer, one handler a kind. All are optional. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { LinkPeer } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import type { Transport } from '../../transport/transport.ts';
import type * as pb from '../gen/orchestra/plugin/v1/plugin_pb.ts';

type Answer<T> = T | Promise<T>;

/** What a handler knows about the request it answers. */
export interface ServerCall {
	readonly requestId: string;
	readonly peer: LinkPeer;
	/** Aborted when the caller gave up or is gone. */
	readonly signal: AbortSignal;
}

export interface StreamingCall extends ServerCall {
	/** Send one chunk; await it, so that a slow reader slows the tool. */
	readonly chunk: (data: Uint8Array, contentType?: string) => Promise<void>;
}

export interface SubscribedCall extends ServerCall {
	/** Deliver one event. False when the subscriber is gone. */
	readonly deliver: (event: MessageInitShape<typeof pb.EventDeliverySchema>) => boolean;
}

export interface PluginHandlers {
	/** Gets a line for what is dropped because it is too large and has no answer. Default: none. */
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
	/** Send chunks until done; throwing ends the stream with an error. */
	streamStart?(request: pb.StreamStart, call: StreamingCall): Answer<void>;
	/** Called once; deliver until the signal is aborted. */
	subscribe?(request: pb.Subscribe, call: SubscribedCall): Answer<void>;
	unsubscribe?(request: pb.Unsubscribe, call: ServerCall): Answer<void>;
	publish?(request: pb.Publish, call: ServerCall): Answer<void>;
	/** MCP messages in full; the handler starts the transport and closes it when done. */
	tunnel?(tunnel: Transport, call: ServerCall): void;
}

// A gateway on the official Go SDK: the tools of one server over stdio, served over stdio or HTTP. It does no more
// than pass calls on: no journal, no policy, no token. `go-gateway http <command> …` writes its address to stdout,
// `go-gateway stdio <command> …` is a server on its own pipes.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	about := &mcp.Implementation{Name: "go-gateway", Version: "1.0.0"}
	command := exec.Command(os.Args[2], os.Args[3:]...)
	upstream, err := mcp.NewClient(about, nil).Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		log.Fatal(err)
	}
	tools, err := upstream.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(about, nil)
	for _, tool := range tools.Tools {
		server.AddTool(tool, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return upstream.CallTool(ctx, &mcp.CallToolParams{
				Name:      request.Params.Name,
				Arguments: request.Params.Arguments,
			})
		})
	}
	if os.Args[1] == "stdio" {
		// It fails when its input ends.
		_ = server.Run(ctx, &mcp.StdioTransport{})
		return
	}
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{JSONResponse: true},
	)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/mcp\n", listener.Addr())
	log.Fatal(http.Serve(listener, handler))
}

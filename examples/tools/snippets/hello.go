// mctl: {"id": "hello-go", "description": "A whole tool in one Go file",
// mctl:  "command": ["go", "run", "hello.go"], "env": ["GOPATH", "GOCACHE", "GOROOT"], "timeoutMs": 120000}
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

func emit(kind string, payload any) {
	ts := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	line, _ := json.Marshal(map[string]any{"type": kind, "ts": ts, "toolId": "hello-go", "payload": payload})
	fmt.Println(string(line))
}

func main() {
	var request struct{ Input struct{ Name string } }
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		emit("error", map[string]any{"message": "stdin is not JSON", "code": "BAD_REQUEST"})
		os.Exit(1)
	}
	emit("started", map[string]any{})
	if request.Input.Name == "" {
		request.Input.Name = "World"
	}
	emit("result", map[string]any{"message": "Hello, " + request.Input.Name + "!"})
}

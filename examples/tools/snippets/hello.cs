// mctl: {"id": "hello-csharp", "description": "A whole tool in one C# file (.NET 10)",
// mctl:  "command": ["dotnet", "run", "hello.cs"], "timeoutMs": 120000}
using System.Text.Json;
using System.Text.Json.Nodes;

void Emit(string type, JsonObject payload) => Console.WriteLine(new JsonObject
{
    ["type"] = type,
    ["ts"] = DateTime.UtcNow.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'"),
    ["toolId"] = "hello-csharp",
    ["payload"] = payload,
}.ToJsonString());

JsonNode? request;
try
{
    request = JsonNode.Parse(Console.In.ReadToEnd());
}
catch (JsonException)
{
    Emit("error", new JsonObject { ["message"] = "stdin is not JSON", ["code"] = "BAD_REQUEST" });
    return 1;
}
Emit("started", new JsonObject());
Emit("result", new JsonObject { ["message"] = $"Hello, {request?["input"]?["name"]?.GetValue<string>() ?? "World"}!" });
return 0;

# mctl: {"id": "hello-powershell", "description": "A whole tool in one PowerShell file", "runtime": "powershell"}
function Emit($type, $payload) {
    $ts = [DateTime]::UtcNow.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'")
    [Console]::Out.WriteLine((@{ type = $type; ts = $ts; toolId = 'hello-powershell'; payload = $payload } | ConvertTo-Json -Compress -Depth 10))
}

try { $request = [Console]::In.ReadToEnd() | ConvertFrom-Json -ErrorAction Stop }
catch { Emit 'error' @{ message = 'stdin is not JSON'; code = 'BAD_REQUEST' }; exit 1 }
Emit 'started' @{}
$name = if ($request.input.name) { $request.input.name } else { 'World' }
Emit 'result' @{ message = "Hello, $name!" }

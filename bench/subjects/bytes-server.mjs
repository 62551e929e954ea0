/* Bytes in, the same bytes out: what the pipes and the event loop cost, and nothing else. */
process.stdin.on('data', (chunk) => process.stdout.write(chunk));

/* SIGINT and SIGTERM for a server on stdio: the first starts a clean shutdown, the second exits. */

/** First signal: call `stop`. Second: exit at once. Returns a function that removes the handlers. */
export function onSignals(stop: (signal: NodeJS.Signals) => void): () => void {
	const signals = ['SIGINT', 'SIGTERM'] as const;
	let isStopping = false;
	const handle = (signal: NodeJS.Signals): void => {
		if (isStopping) process.exit(0);
		isStopping = true;
		stop(signal);
	};
	for (const signal of signals) process.on(signal, handle);
	return () => {
		for (const signal of signals) process.off(signal, handle);
	};
}

/* SIGINT and SIGTERM for a server on stdio: the first starts a clean shutdown, the second exits. */

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** First signal: call `stop`. Second: exit at once, with 130 or 143. Returns a function that removes the handlers. */
export function onSignals(stop: (signal: NodeJS.Signals) => void): () => void {
	const signals = ['SIGINT', 'SIGTERM'] as const;
	let isStopping = false;
	const handle = (signal: 'SIGINT' | 'SIGTERM'): void => {
		if (isStopping) process.exit(exitCodes[signal]);
		isStopping = true;
		stop(signal);
	};
	for (const signal of signals) process.on(signal, handle);
	return () => {
		for (const signal of signals) process.off(signal, handle);
	};
}

/* How a server on stdio takes SIGINT and SIGTERM: the first asks it to finish, the second ends it. */

/** First signal: `stop`. Second: exit at once. Gives back what undoes it. */
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

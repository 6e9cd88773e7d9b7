// Vitest ends its workers by this signal, which by itself calls no exit hooks: what a failed test left running would stay.
if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit());

import type { Core, Dispatcher } from '@rollcall/core';

/** How often the outbox is checked, in addition to the core's requests. */
const CHECK_INTERVAL_MS = 30_000;
const MAX_SIMULTANEOUS = 16;

export interface Mailroom {
  readonly dispatcher: Dispatcher;
  /** Sends again what an earlier process has left unfinished. This is the only process, so no claim is still active. */
  recover(): Promise<void>;
  /** Starts no more deliveries, and waits for those under way. */
  stop(): Promise<void>;
}

/**
 * Empties the outbox whenever the core requests it, one round at a time. `core` is a function because it is created
 * later.
 */
export function startMailroom({
  core,
  onBug,
}: {
  readonly core: () => Core;
  readonly onBug: (error: unknown) => void;
}): Mailroom {
  let isRunning = true;
  let rounds = Promise.resolve();
  const wake = (): void => {
    if (isRunning) rounds = rounds.then(emptyOutbox).catch(onBug);
  };
  const emptyOutbox = async (): Promise<void> => {
    for (;;) {
      const started = isRunning ? await core().deliverWebhooks({ limit: MAX_SIMULTANEOUS }) : [];
      if (started.length === 0) return;
      const reports = await Promise.all(started);
      for (const { error } of reports) if (error !== null) onBug(error);
    }
  };

  const timer = setInterval(wake, CHECK_INTERVAL_MS).unref();
  return {
    dispatcher: { wake },
    async recover() {
      await core().recoverDeliveries({ olderThanMs: null });
      wake();
    },
    async stop() {
      isRunning = false;
      clearInterval(timer);
      await rounds;
    },
  };
}

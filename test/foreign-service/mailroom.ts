import type { Core, Dispatcher } from '@rollcall/core';

/** Milliseconds after which the outbox is looked at though nobody has asked. */
const ROUND = 30_000;
const AT_ONCE = 16;

export interface Mailroom {
  readonly dispatcher: Dispatcher;
  /** What an earlier process left under way is sent again: this is the only process, so every claim is dead. */
  recover(): Promise<void>;
  /** Starts nothing more, and waits for what is under way. */
  stop(): Promise<void>;
}

/** Empties the outbox whenever the core asks, one round at a time. `core` is a function, for it is made later. */
export function startMailroom({
  core,
  onBug,
}: {
  readonly core: () => Core;
  readonly onBug: (error: unknown) => void;
}): Mailroom {
  let isOpen = true;
  let rounds = Promise.resolve();
  const wake = (): void => {
    if (isOpen) rounds = rounds.then(emptyOutbox).catch(onBug);
  };
  const emptyOutbox = async (): Promise<void> => {
    for (;;) {
      const started = isOpen ? await core().deliverWebhooks({ limit: AT_ONCE }) : [];
      if (started.length === 0) return;
      const reports = await Promise.all(started);
      for (const { error } of reports) if (error !== null) onBug(error);
    }
  };

  const timer = setInterval(wake, ROUND).unref();
  return {
    dispatcher: { wake },
    async recover() {
      await core().recoverDeliveries({ olderThanMs: null });
      wake();
    },
    async stop() {
      isOpen = false;
      clearInterval(timer);
      await rounds;
    },
  };
}

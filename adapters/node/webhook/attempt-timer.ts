import type { AttemptPhase, SentAttempt } from '@rollcall/core';
import { answered, inSeconds } from './reasons.js';
import type { TimeLimits } from './time-limits.js';

/** How an attempt ended. */
export type Ending = Omit<SentAttempt, 'request' | 'response'>;

/** The timer of one attempt. It ends once: calls after the end change nothing. */
export type AttemptTimer = ReturnType<typeof startAttemptTimer>;

const PHASES: readonly AttemptPhase[] = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'];

/** Starts the time limits, which only the end stops. So `ending` always resolves, whatever the connection does. */
export function startAttemptTimer(limits: TimeLimits) {
  const startedAt = performance.now();
  let phase: AttemptPhase = 'address';
  let status: number | null = null;
  let settle: (ending: Ending) => void = () => undefined;
  const ending = new Promise<Ending>((resolve) => {
    settle = resolve;
  });

  /** Ends the attempt. The reason and the error are used only if there was no answer. */
  const end = (
    reason: string,
    error?: { readonly code?: string | undefined; readonly phase?: AttemptPhase },
  ): void => {
    clearTimeout(connecting);
    clearTimeout(answering);
    clearTimeout(deadline);
    const duration = Math.round(performance.now() - startedAt);
    settle({ duration, phase, ...(status === null ? { ...failure(reason), ...error } : outcomeOf(status)) });
  };
  const connecting = setTimeout(
    () => end(`no connection within ${inSeconds(limits.connect)}`),
    limits.connect,
  );
  const deadline = setTimeout(() => end(`not finished within ${inSeconds(limits.total)}`), limits.total);
  let answering: NodeJS.Timeout | undefined;

  /** Records that the attempt has reached this phase. Never goes back. */
  const reach = (next: AttemptPhase): void => {
    if (PHASES.indexOf(next) <= PHASES.indexOf(phase)) return;
    phase = next;
    if (phase === 'request' || phase === 'answer') clearTimeout(connecting);
    if (phase === 'answer') {
      answering = setTimeout(() => end(`no answer within ${inSeconds(limits.answer)}`), limits.answer);
    }
  };
  /** Records the receiver's status, which decides the outcome. */
  const answer = (receivedStatus: number): void => {
    reach('answer');
    status = receivedStatus;
  };
  return { phase: (): AttemptPhase => phase, reach, answer, end, ending };
}

function failure(reason: string) {
  return { outcome: 'failed', status: null, reason } as const;
}

function outcomeOf(status: number) {
  const delivered = status >= 200 && status < 300;
  return { outcome: delivered ? 'delivered' : 'failed', status, reason: answered(status) } as const;
}

import type { Attempt, AttemptPhase } from '@rollcall/core';
import { answered, inSeconds } from './reasons.js';

/** How an attempt ended. */
export type Ending = Omit<Attempt, 'startedAt'>;

/** Milliseconds. */
export interface TimeLimits {
  /** For the lookup, TCP and TLS together. */
  readonly connect: number;
  /** From the request's last byte to the answer's. */
  readonly answer: number;
  /** For everything, whatever happens. */
  readonly total: number;
}

/** The timer of one attempt. It ends once: whatever comes after the end changes nothing. */
export interface AttemptTimer {
  phase(): AttemptPhase;
  /** The attempt has come so far; never goes back. */
  reach(phase: AttemptPhase): void;
  /** The receiver has answered: from here on nothing changes the outcome. */
  answer(status: number): void;
  /** Nothing more comes; the reason counts where there was no answer. */
  end(reason: string): void;
  readonly ending: Promise<Ending>;
}

const PHASES: readonly AttemptPhase[] = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'];

/** Starts the clocks. Only the end stops them, and so `ending` settles whatever the connection does. */
export function startAttemptTimer(limits: TimeLimits): AttemptTimer {
  const startedAt = performance.now();
  let phase: AttemptPhase = 'address';
  let status: number | null = null;
  let settle: (ending: Ending) => void = () => undefined;
  const ending = new Promise<Ending>((resolve) => {
    settle = resolve;
  });

  const end = (reason: string): void => {
    clearTimeout(connecting);
    clearTimeout(answering);
    clearTimeout(deadline);
    settle({ duration: Math.round(performance.now() - startedAt), phase, ...outcome(status, reason) });
  };
  const connecting = setTimeout(
    () => end(`no connection within ${inSeconds(limits.connect)}`),
    limits.connect,
  );
  const deadline = setTimeout(() => end(`not finished within ${inSeconds(limits.total)}`), limits.total);
  let answering: NodeJS.Timeout | undefined;

  const reach = (next: AttemptPhase): void => {
    if (PHASES.indexOf(next) <= PHASES.indexOf(phase)) return;
    phase = next;
    if (phase === 'request' || phase === 'answer') clearTimeout(connecting);
    if (phase === 'answer') {
      answering = setTimeout(() => end(`no answer within ${inSeconds(limits.answer)}`), limits.answer);
    }
  };
  const answer = (received: number): void => {
    reach('answer');
    status = received;
  };
  return { phase: () => phase, reach, answer, end, ending };
}

function outcome(status: number | null, reason: string): Pick<Ending, 'outcome' | 'status' | 'reason'> {
  if (status === null) return { outcome: 'failed', status, reason };
  const delivered = status >= 200 && status < 300;
  return { outcome: delivered ? 'delivered' : 'failed', status, reason: answered(status) };
}

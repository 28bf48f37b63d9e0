import type { Attempt, AttemptPhase } from '@rollcall/core';
import { answered, inSeconds } from './reasons.js';
import type { TimeLimits } from './time-limits.js';

/** How an attempt ended. */
export type Ending = Omit<Attempt, 'startedAt'>;

/** The timer of one attempt. It ends once: calls after the end change nothing. */
export interface AttemptTimer {
  phase(): AttemptPhase;
  /** Records that the attempt has reached this phase. Never goes back. */
  reach(phase: AttemptPhase): void;
  /** Records the receiver's status, which decides the outcome. */
  answer(status: number): void;
  /** Ends the attempt. The reason is used only if there was no answer. */
  end(reason: string): void;
  readonly ending: Promise<Ending>;
}

const PHASES: readonly AttemptPhase[] = ['address', 'lookup', 'connect', 'tls', 'request', 'answer'];

/** Starts the time limits, which only the end stops. So `ending` always resolves, whatever the connection does. */
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
  const answer = (receivedStatus: number): void => {
    reach('answer');
    status = receivedStatus;
  };
  return { phase: () => phase, reach, answer, end, ending };
}

function outcome(status: number | null, reason: string): Pick<Ending, 'outcome' | 'status' | 'reason'> {
  if (status === null) return { outcome: 'failed', status, reason };
  const delivered = status >= 200 && status < 300;
  return { outcome: delivered ? 'delivered' : 'failed', status, reason: answered(status) };
}

import type { WebhookSender } from '@rollcall/core';
import { fraction, mix } from './chance.js';
import { type Send, shortId } from './history.js';
import { type Caller, faultOf, latency, nextKey } from './ports.js';
import type { Flow } from './scheduler.js';
import type { Simulation } from './simulation.js';

const STALL_MS = 10_000;

/** The sender of one process, with the receivers of all organizations at the other end. */
export function simulatedSender(simulation: Simulation, caller: Caller): WebhookSender {
  const { scheduler, history, plan } = simulation;
  return {
    refusalOf: () => null,
    send({ url, headers, body }) {
      const key = nextKey(scheduler.flow());
      const flow: Flow = { key, host: caller, calls: 0 };
      const send: Send = {
        eventId: headers['X-Service-Event-Id'] ?? '',
        url,
        headers,
        body,
        process: caller.process,
        start: scheduler.tick(),
        startedAt: scheduler.now(),
        arrived: null,
        ended: null,
        isDelivered: false,
      };
      history.sends.push(send);
      const org = Number(/org-(\d)/.exec(url)?.[1] ?? 1);
      const { fails, stalls, kills } = plan.receivers[org - 1] ?? { fails: 0, stalls: 0, kills: 0 };
      const drawn = fraction(key, 4) * 100;
      const stallsNow = drawn < stalls;
      const status = stallsNow ? null : drawn < stalls + fails ? 500 : 200;
      const fault = fraction(key, 6) * 100 < kills ? 'crash-after' : faultOf(simulation, key);
      const crashes = fault === 'crash-before' || fault === 'crash-after';
      if (crashes && kills === 0) simulation.fired.push({ key, kind: fault });
      return new Promise((resolve) => {
        const arrive = (): void => {
          if (fault === 'crash-before') {
            crash('before it sends');
            return;
          }
          send.arrived = scheduler.tick();
          simulation.tell(() => `${caller.name} sends event ${shortId(send.eventId)} to ${url}.`);
          const wait = stallsNow ? STALL_MS : latency(simulation, key, 2) + (key % 8 === 0 ? 2_000 : 0);
          scheduler.after(wait, flow, () => {
            if (fault === 'crash-after') {
              crash('before it gets the answer');
              return;
            }
            send.ended = scheduler.tick();
            send.isDelivered = status === 200;
            simulation.tell(() => `The receiver ${status === null ? 'never answers' : `answers ${status}`}.`);
            const response = status === null ? null : { headers: {}, body: '', isTruncated: false };
            resolve({
              duration: Math.floor(scheduler.now() - send.startedAt),
              outcome: status === 200 ? 'delivered' : 'failed',
              phase: 'answer',
              status,
              reason: status === null ? 'no answer' : `answered ${status}`,
              request: { url, headers },
              response,
            });
          });
        };
        const crash = (when: string): void => {
          simulation.tell(() => `${caller.name} dies ${when} (fault ${key}).`);
          caller.crash();
        };
        scheduler.after(latency(simulation, key, 1), { ...flow, key: mix(key, 1) }, arrive);
      });
    },
  };
}

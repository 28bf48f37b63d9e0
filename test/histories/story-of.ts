import { check, type Evidence } from '../simulation/checker.js';
import { type Op, shortId } from '../simulation/history.js';
import { tellEnd } from '../simulation/story.js';
import type { Disturbance } from './disturbances.js';

/** The operations that the broken promise needs, with what was sent and what was disturbed meanwhile, in their order. */
export function storyOf(
  evidence: Evidence,
  broken: string,
  disturbances: readonly Disturbance[],
): readonly string[] {
  const ops = needed(evidence, broken);
  const lines = ops.map((op) => ({
    at: op.start,
    text: `[${seconds(op.start)} – ${seconds(op.end)}] ${tellEnd(op)}`,
  }));
  for (const send of evidence.history.sends) {
    if (!broken.includes(shortId(send.eventId))) continue;
    const arrival = send.arrived === null ? 'it never arrived' : `it arrived at ${seconds(send.arrived)}`;
    const end = send.isDelivered ? 'was delivered' : 'was not delivered';
    lines.push({
      at: send.start,
      text: `[${seconds(send.start)}] Event ${shortId(send.eventId)} is sent to ${send.url}: ${arrival} and ${end}.`,
    });
  }
  const [from, to] = [
    Math.min(...lines.map(({ at }) => at)),
    Math.max(...lines.map(({ at }) => at), ...ops.map(({ end }) => (Number.isFinite(end) ? end : 0))),
  ];
  for (const one of disturbances) {
    if (one.from > to || one.to < from) continue;
    const where = one.instance === null ? 'everywhere' : `on instance ${'ABC'[one.instance] ?? one.instance}`;
    lines.push({ at: one.from, text: `[${seconds(one.from)} – ${seconds(one.to)}] A ${one.kind} ${where}.` });
  }
  return lines.sort((one, other) => one.at - other.at).map(({ text }) => text);
}

/** Leaves out the operations without which the same promise is broken, too. */
function needed({ history, ...evidence }: Evidence, broken: string): readonly Op[] {
  const fails = (ops: readonly Op[]): boolean =>
    check({ ...evidence, history: { ...history, ops: [...ops] } }).includes(broken);
  let kept: readonly Op[] = history.ops;
  if (!fails(kept)) return [];
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length; ) {
      const fewer = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (fails(fewer)) kept = fewer;
      else from += size;
    }
  }
  return [...kept].sort((one, other) => one.start - other.start);
}

function seconds(milliseconds: number): string {
  return Number.isFinite(milliseconds) ? `${(milliseconds / 1_000).toFixed(3)} s` : 'no answer';
}

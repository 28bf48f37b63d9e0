import assert from 'node:assert/strict';
import { createLog, type Log, type LogLevel } from '#adapters/node/system/log.js';

/** Creates a log whose lines are collected. */
export function captureLog(
  level: LogLevel = 'trace',
  pretty = false,
): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const log = createLog({ level, pretty, destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

/** The entries without the time, which must be there. */
export function entries(lines: readonly string[]): readonly unknown[] {
  return lines.map((line) => {
    assert.match(line, /^\{.*\}\n$/);
    const { time, ...entry } = JSON.parse(line);
    assert.equal(new Date(time).toISOString(), time);
    return entry;
  });
}

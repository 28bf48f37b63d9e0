import { createLog, type LogLevel } from '#adapters/node/system/log.js';

/** A log whose lines are collected. */
export function recordedLog<Line = Readonly<Record<string, unknown>>>(level: LogLevel = 'info') {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLog({ level, pretty: false, destination }), lines };
}

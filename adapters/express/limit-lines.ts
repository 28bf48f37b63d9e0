/** The maximum number of lines of one kind that are logged in a window of time; further lines are only counted. */
const MAX_LINES = 10;
export const LOG_WINDOW_MS = 60_000;

/**
 * Limits log lines that anyone on the network can cause. The first lines of a window are logged one by one; the number
 * of further lines is logged at its end.
 */
export function limitLines<Line>(
  log: (line: Line, count: number) => void,
  windowMs = LOG_WINDOW_MS,
): (line: Line) => void {
  let lines = 0;
  let unlogged = 0;
  let latest: Line;
  const closeWindow = (): void => {
    if (unlogged > 0) log(latest, unlogged);
    lines = 0;
    unlogged = 0;
  };
  return (line) => {
    // This timer must not keep the process alive.
    if (lines === 0) setTimeout(closeWindow, windowMs).unref();
    lines += 1;
    if (lines <= MAX_LINES) return log(line, 1);
    unlogged += 1;
    latest = line;
  };
}

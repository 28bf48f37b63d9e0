/** Lines of one kind that a window of time may have; the others are counted. */
const MAX_LINES = 10;
export const LOG_WINDOW_MS = 60_000;

/**
 * Tells what a stranger can cause as often as they like: the first few of a minute one by one, and at its end how
 * many there were besides.
 */
export function boundedLines<Line>(
  tell: (line: Line, count: number) => void,
  windowMs = LOG_WINDOW_MS,
): (line: Line) => void {
  let told = 0;
  let untold = 0;
  let latest: Line;
  const closeWindow = (): void => {
    if (untold > 0) tell(latest, untold);
    told = 0;
    untold = 0;
  };
  return (line) => {
    // The log is not a reason for a process to go on.
    if (told === 0) setTimeout(closeWindow, windowMs).unref();
    told += 1;
    if (told <= MAX_LINES) return tell(line, 1);
    untold += 1;
    latest = line;
  };
}

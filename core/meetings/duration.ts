/** Whole minutes from start to end. */
export function minutesBetween({
  startTime,
  endTime,
}: {
  readonly startTime: Date;
  readonly endTime: Date;
}): number {
  return Math.floor((endTime.getTime() - startTime.getTime()) / 60_000);
}

/** Minutes in words, such as `45 minutes`, `1 hour` or `1 hour 30 minutes`. */
export function durationText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return count(rest, 'minute');
  return rest === 0 ? count(hours, 'hour') : `${count(hours, 'hour')} ${count(rest, 'minute')}`;
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

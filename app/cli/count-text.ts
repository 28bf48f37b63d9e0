/** A count with its noun: "1 record", "2,000 records". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** With fewer records, a rate says nothing about speed. */
const MIN_RATED_COUNT = 1000;

/** A count with its duration, and with its rate if the count is large. */
export function speedText(
  noun: string,
  {
    count,
    seconds,
    perSecond,
  }: { readonly count: number; readonly seconds: number; readonly perSecond: number },
): string {
  const rate = count < MIN_RATED_COUNT ? '' : ` (${perSecond.toLocaleString('en')} per second)`;
  return `${counted(count, noun)} in ${seconds} s${rate}.`;
}

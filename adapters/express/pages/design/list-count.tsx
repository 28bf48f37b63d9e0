import type { ComponentChildren } from 'preact';

/** The words for the things of a list. */
export interface CountedWords {
  readonly one: string;
  readonly several: string;
}

/** "1 person", "1,200 people" or "No people". */
export function counted(count: number, { one, several }: CountedWords): string {
  if (count === 0) return `No ${several}`;
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}

interface ListCountProps {
  /** Whether the reader has searched or filtered: screen readers then read it. */
  readonly isNarrowed: boolean;
  readonly children: ComponentChildren;
}

/** How much a list has, above it. */
export function ListCount({ isNarrowed, children }: ListCountProps) {
  return (
    <p class="list-count" {...(isNarrowed && { role: 'status' as const })}>
      {children}
    </p>
  );
}

/** The seed of a run with random choices. `SOAK_SEED` repeats an earlier one. */
export const soakSeed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Outputs = Readonly<Record<'stdout' | 'stderr', string>>;

const MAX_OUTPUT_WAIT_MS = 120_000;

/** Waits until an output matches the pattern. Throws if the process ends or two minutes pass first. */
export async function seeIn({
  outputs,
  where,
  hasEnded,
  pattern,
}: {
  outputs(): Outputs;
  readonly where: keyof Outputs;
  /** Its last output is still read after it has ended. */
  hasEnded(): boolean;
  readonly pattern: RegExp;
}): Promise<RegExpExecArray> {
  for (const end = performance.now() + MAX_OUTPUT_WAIT_MS; ; ) {
    const isLast = hasEnded() || performance.now() > end;
    const { stdout, stderr } = outputs();
    const found = pattern.exec(outputs()[where]);
    if (found !== null) return found;
    if (isLast) throw new Error(`${pattern} did not appear.\nstdout: ${stdout}\nstderr: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

import { appendFileSync } from 'node:fs';

/** Writes the URL of each ES module to the file that `LOADED_MODULES` names. */
export async function load<Context, Result>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Result,
): Promise<Awaited<Result>> {
  appendFileSync(process.env.LOADED_MODULES ?? '', `${url}\n`);
  return await next(url, context);
}

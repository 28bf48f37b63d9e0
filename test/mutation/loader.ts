import type { LoadHook } from 'node:module';

export interface Mutation {
  /** The end of the module's URL. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

let mutation: Mutation | null = null;

export function initialize(data: Mutation): void {
  mutation = data;
}

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (mutation === null || !url.endsWith(mutation.file)) return loaded;
  const source = String(loaded.source);
  if (source.split(mutation.find).length !== 2) {
    throw new Error(`${mutation.file} does not contain exactly once: ${mutation.find}`);
  }
  return { ...loaded, source: source.replace(mutation.find, () => mutation?.replace ?? '') };
};

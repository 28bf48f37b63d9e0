import type { Need } from '../deps.js';
import type { StoragePorts } from '../ports.js';
import { memoryStorage } from './memory/memory-storage.js';

/** A storage that may lack ports, or methods of them. */
export type PartOfStorage = { readonly [Port in keyof StoragePorts]?: Partial<StoragePorts[Port]> };

/** The storage that a use-case or a factory needs, such as `StorageOf<typeof listUpcomingMeetings>`. */
export type StorageOf<UseCase extends (deps: never, request: never) => unknown> = Pick<
  Parameters<UseCase>[0],
  keyof Parameters<UseCase>[0] & keyof StoragePorts
>;

/** The name of a method of a storage, such as `meetings.placesOf`. */
export type StorageMethod = Extract<Need, `${keyof StoragePorts}.${string}`>;

/** Those of the methods that a storage lacks. */
export function lackedBy(
  storage: PartOfStorage,
  methods: readonly StorageMethod[],
): readonly StorageMethod[] {
  return methods.filter((name) => {
    const [port, method] = name.split('.') as [keyof StoragePorts, string];
    return Reflect.get(storage[port] ?? {}, method) === undefined;
  });
}

/** Every method of a storage. */
export function storageMethods(): readonly StorageMethod[] {
  const { load, ...storage } = memoryStorage();
  return Object.entries(storage).flatMap(([port, methods]) =>
    Object.keys(methods).map((method) => `${port}.${method}` as StorageMethod),
  );
}

/** A storage in memory that adds the methods that are used to the set. */
export function recordingStorage(used: Set<StorageMethod>): ReturnType<typeof memoryStorage> {
  const { load, ...storage } = memoryStorage();
  const recorded = Object.entries(storage).map(([port, methods]) => {
    const get = (_: unknown, method: string) => {
      used.add(`${port}.${method}` as StorageMethod);
      return Reflect.get(methods, method);
    };
    return [port, new Proxy(methods, { get })];
  });
  return { load, ...Object.fromEntries(recorded) };
}

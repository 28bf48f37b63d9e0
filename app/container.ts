import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import type { BindingName, Bindings, ContainerValues, Provider } from './container/bindings.js';

/** Returns the value of a name, and creates it when it is first requested. */
export interface Assembly {
  get<Key extends BindingName>(name: Key): ContainerValues[Key];
}

/** Loads one inversify module for each set of bindings. Overrides replace bindings of the same name. */
export function createContainer(modules: readonly Bindings[], overrides: Bindings = {}): Assembly {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(...modules.map(moduleOf), moduleOf(overrides));
  return { get: (name) => container.get(name) };
}

function moduleOf(bindings: Bindings): ContainerModule {
  return new ContainerModule(({ bind, isBound, unbind }) => {
    for (const [name, provider] of Object.entries(bindings)) {
      const { needs, make }: Provider<unknown> = provider;
      if (isBound(name)) unbind(name);
      bind(name).toResolvedValue(
        (...values: unknown[]) => make(Object.fromEntries(needs.map((need, at) => [need, values[at]]))),
        [...needs],
      );
    }
  });
}

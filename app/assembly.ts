import { baseModules } from './container/base-modules.js';
import type { Bindings } from './container/bindings.js';
import { type Foundation, foundationModule } from './container/foundation.js';
import { httpModule } from './container/http.js';
import { operatorModule } from './container/operator.js';
import { pagesModule } from './container/pages.js';
import { prunerModule } from './container/pruner.js';
import { serviceModule } from './container/service.js';
import { type Assembly, createContainer } from './container.js';
// A server loads these when it starts, so that its first delivery or sign-in does not have to.
import '@rollcall/node/preload';

/** The bindings of each adapter, and of the service itself. */
export const modules: readonly Bindings[] = [
  ...baseModules,
  pagesModule,
  httpModule,
  operatorModule,
  prunerModule,
  serviceModule,
];

/** Puts the whole service together. Each override replaces the binding of the same name, such as one adapter. */
export function assemble(foundation: Foundation, overrides: Bindings = {}): Assembly {
  return createContainer([foundationModule(foundation), ...modules], overrides);
}

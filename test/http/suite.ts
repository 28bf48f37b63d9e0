import type { HttpService } from '../support/http/service.js';

/** Tests over a service that whoever runs them has started, and whose clock stands at `testNow` before each. */
export type Suite = (service: () => HttpService) => void;

// The rules alone, for a worker in a browser: bundled, it holds no port and no time zone data.
import { clampPage, mergePlaces } from '@rollcall/core/rules';

globalThis.onmessage = ({ data: { registered, waiting, page } }) => {
  const { size } = clampPage({ page, size: 10, defaultSize: 10 });
  globalThis.postMessage(mergePlaces(registered, waiting).slice(0, size));
};

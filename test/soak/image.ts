import { buildImage, tryImage } from '../support/image.js';

/** Runs every line of the Dockerfile in a folder, both installations too, and then what it made. Takes minutes. */
const from = performance.now();
const image = await buildImage({ how: 'all' });
try {
  await tryImage(image);
  process.stdout.write(
    `The image was built and served in ${Math.round((performance.now() - from) / 1000)} s.\n`,
  );
} finally {
  image.remove();
}

import { buildImage, tryImage } from '../support/image.js';

/** Runs every line of the Dockerfile in a folder, both installations included, and then the result. Takes minutes. */
const startedAt = performance.now();
const image = await buildImage({ how: 'all' });
try {
  await tryImage(image);
  process.stdout.write(
    `Built and served the image in ${Math.round((performance.now() - startedAt) / 1000)} s.\n`,
  );
} finally {
  image.remove();
}

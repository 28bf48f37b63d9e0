import { register } from 'node:module';

/** Preloaded, it breaks one line of one module while Node loads it. No file is changed. */
register('./loader.js', import.meta.url, { data: JSON.parse(process.env.MUTATION ?? '{}') });

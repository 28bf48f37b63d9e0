import { register } from 'node:module';

/** Loaded before the tests: breaks one line of one module as it is read, so that no file is touched. */
register('./loader.js', import.meta.url, { data: JSON.parse(process.env.MUTATION ?? '{}') });

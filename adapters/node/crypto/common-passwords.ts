import type { CommonPasswords } from '@rollcall/core';

/** The list takes 4 MB, and most processes set no password. */
let loading: Promise<ReadonlySet<string>> | null = null;

/**
 * The list of common and leaked passwords in `@zxcvbn-ts/language-common`, of which 18,000 have at least 8 characters.
 * Read with the first question, and kept for the whole process.
 */
export function listedCommonPasswords(): CommonPasswords {
  return {
    async has(password) {
      loading ??= load();
      const list = await loading;
      return list.has(password.reveal().toLowerCase());
    },
  };
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

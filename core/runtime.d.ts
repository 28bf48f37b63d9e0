/** The globals that every JavaScript runtime has but TypeScript's ECMAScript library does not declare. */
declare class URL {
  constructor(input: string);
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly protocol: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

declare class URLSearchParams {
  constructor(query: string);
  get(name: string): string | null;
}

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

declare class TextDecoder {
  decode(bytes: Uint8Array, options?: { readonly stream?: boolean }): string;
}

declare function btoa(binary: string): string;
declare function atob(base64: string): string;

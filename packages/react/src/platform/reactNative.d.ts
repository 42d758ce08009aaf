/*
 * What is used of React Native. `paths` of tsconfig.json name this file in place of its own types: they
 * declare `fetch`, `WebSocket` and other globals, and would change those of the browser for every file.
 */
export declare const AppState: {
  /** `active`, `background`, on iOS also `inactive`; null until it is known. */
  readonly currentState: string | null
  addEventListener(type: 'change', listener: () => void): { remove(): void }
}

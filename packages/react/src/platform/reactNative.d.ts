/*
 * What is used of React Native. Not its own types: they declare `fetch`, `WebSocket` and other globals, and
 * would change those of the browser for the whole package.
 */
declare module 'react-native' {
  export const AppState: {
    /** `active`, `background`, on iOS also `inactive`; null until it is known. */
    readonly currentState: string | null
    addEventListener(type: 'change', listener: () => void): { remove(): void }
  }
}

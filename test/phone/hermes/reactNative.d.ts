declare module 'react-native/Libraries/Blob/URLSearchParams' {
  export const URLSearchParams: typeof globalThis.URLSearchParams
}

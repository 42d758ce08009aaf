/** Wrangler takes a page as its text. */
declare module '*.html' {
  const text: string
  export default text
}

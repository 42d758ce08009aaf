/**
 * Removes quotation marks around a whole value of the environment. A shell and Docker Compose remove those of
 * an env file, and `docker run --env-file` keeps them.
 */
export const withoutQuotes = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

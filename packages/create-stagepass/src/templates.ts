import { UsageError } from './UsageError.js'

/** In the order of the question. scripts/templates.ts creates each template from a folder of examples/. */
export const TEMPLATES = {
  express: { example: 'express-server', title: 'Express, and a React page built by Vite' },
  next: { example: 'next-app', title: 'Next.js, App Router' },
  'react-router': { example: 'react-router', title: 'React Router 7, framework mode' },
  hono: { example: 'hono', title: 'Hono, and a React page built by Vite' },
  workers: { example: 'workers', title: 'Hono in Cloudflare Workers' },
} as const

/** Name of a template. */
export type Template = keyof typeof TEMPLATES

const NAMES = Object.keys(TEMPLATES) as Template[]

/** One line for each template, with its number. */
export const listTemplates = (): string =>
  NAMES.map((name, at) => `  ${at + 1}. ${name.padEnd(14)}${TEMPLATES[name].title}`).join('\n')

/** Reads the name or the number of a template. Throws `UsageError`. */
export function readTemplate(text: string): Template {
  const found = NAMES.find((name, at) => text === name || text === String(at + 1))
  if (found !== undefined) return found
  // Three letters are enough for "nextjs", "React" and "expres".
  const similar = NAMES.find((name) => name.startsWith(text.toLowerCase().slice(0, 3)))
  throw new UsageError(
    `Failed to find the template "${text}". ${similar && text ? `Did you mean "${similar}"? ` : ''}` +
      `The templates are ${NAMES.join(', ')}.`,
  )
}

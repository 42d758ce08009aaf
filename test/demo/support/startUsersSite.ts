import { fileURLToPath } from 'node:url'
import { type Stack, startStack } from '@stagepass/testing'
import react from '@vitejs/plugin-react'
import type { Request } from 'express'
import { build, defaultClientConditions, type Rollup } from 'vite'

/** A site whose login session is a cookie, with the BFF behind it. */
export interface UsersSite extends AsyncDisposable {
  readonly origin: string
  readonly stack: Stack
}

const page = fileURLToPath(new URL('usersPage.tsx', import.meta.url))

export async function startUsersSite(files: ReadonlyMap<string, string>): Promise<UsersSite> {
  const stack = await startStack({
    bff: { authorize: (req) => (userOf(req) === '' ? null : { user: userOf(req) }) },
    app(app) {
      // A real site regenerates the session here. See docs/users.md.
      app.get('/sign-in/:user', (req, res) => {
        res.cookie('user', req.params.user, { httpOnly: true, sameSite: 'lax' }).redirect('/')
      })
      app.get('/sign-out', (_req, res) => res.clearCookie('user').redirect('/'))
      app.get('/elsewhere', (_req, res) => void res.send('<!doctype html><title>Elsewhere</title>'))
      app.get('/', (req, res) => {
        res.send(
          `<!doctype html><html data-user="${userOf(req)}"><title>Users</title><div id="root"></div>` +
            `<script type="module" src="/${entryOf(files)}"></script></html>`,
        )
      })
      app.use((req, res, next) => {
        const code = files.get(req.path.slice(1))
        if (code === undefined) next()
        else res.type('js').send(code)
      })
    },
  })
  stack.intercept((req, res, next) => {
    const user = req.get('x-stagepass-user') ?? ''
    if (!req.url.startsWith('/meetings') || user !== userOf(req)) return next()
    res.json({ meetings: [{ id: user, title: `meeting of ${user}` }], next_cursor: null })
  })
  return {
    origin: stack.origin,
    stack,
    [Symbol.asyncDispose]: () => stack.close(),
  }
}

function userOf(req: Request): string {
  return /(?:^|; )user=(\w+)/.exec(req.get('cookie') ?? '')?.[1] ?? ''
}

/** The page's files by their names. */
export async function bundleUsersPage(): Promise<Map<string, string>> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [react()],
    resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
    build: { write: false, rollupOptions: { input: page } },
  })
  const { output } = result as Rollup.RollupOutput
  return new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file.code]] : [])))
}

function entryOf(files: ReadonlyMap<string, string>): string {
  return [...files.keys()].find((name) => name.includes('usersPage')) ?? ''
}

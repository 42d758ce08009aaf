import { startStack } from '@stagepass/testing'
import { createSyncStoragePersister } from '@tanstack/query-sync-storage-persister'
import { QueryClient, useQuery } from '@tanstack/react-query'
import { type PersistedClient, PersistQueryClientProvider } from '@tanstack/react-query-persist-client'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import { type ReactNode, useEffect } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReloadGuard } from '../identity/createReloadGuard.js'
import { createVoiceClient } from './createVoiceClient.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { createPlatform } from '../platform/createPlatform.js'
import { VoiceProvider } from './VoiceProvider.js'

const DISK = 'REACT_QUERY_OFFLINE_CACHE'

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})
afterEach(() => {
  vi.restoreAllMocks()
  cleanup()
})

/** A site with a login session. Its pages keep the query cache on disk, with the answer of `GET /me`. */
async function setUp() {
  const stack = await startStack()
  const session = {
    get user() {
      return stack.grant?.user
    },
    set user(user: string | undefined) {
      stack.grant =
        user === undefined ? null : { user, meetings: { credential: stack.upstream.meetingsCredential } }
    },
  }
  session.user = 'ada'
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})

  // Takes its time, so that the page has no user meanwhile.
  async function askMe(): Promise<string | undefined> {
    await fetch(`${stack.url}/health`)
    return site.me()
  }

  /** Loads the page. `onUserChanged` gets what it may use. */
  function load(onUserChanged: (page: { queryClient: QueryClient; unmount: () => void }) => void) {
    const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000 } } })
    const persister = createSyncStoragePersister({ storage: localStorage, throttleTime: 0 })
    const voice = createVoiceClient({ url: stack.url })
    let shown: string | null = null
    async function queryFn(): Promise<string | undefined> {
      const user = await askMe()
      // A response without delay would leave React no time to render the page without a user.
      if (queryClient.getQueryData(['me']) === undefined) await vi.waitFor(() => expect(shown).toBeNull())
      return user
    }
    function List(): ReactNode {
      const { meetings, error } = useMeetings({ fields: ['title'] })
      return error?.code ?? `${meetings.length} meetings`
    }
    function Root(): ReactNode {
      const { data: user = null } = useQuery({ queryKey: ['me'], queryFn })
      useEffect(() => {
        shown = user
      }, [user])
      return (
        <VoiceProvider
          client={voice}
          user={user}
          onUserChanged={() => onUserChanged({ queryClient, unmount })}
        >
          {user}: <List />
        </VoiceProvider>
      )
    }
    const { unmount } = render(
      <PersistQueryClientProvider client={queryClient} persistOptions={{ persister }}>
        <Root />
      </PersistQueryClientProvider>,
    )
    return { queryClient, unmount }
  }
  const site = { session, said, load, me: () => session.user, [Symbol.asyncDispose]: () => stack.close() }
  return site
}

/** What the console says if a second call would not help. */
const STANDS_STILL =
  /^Failed to change the user: after onUserChanged the page still names the user from before/

it('does not reload the page again and again while the disk still names the user from before', async () => {
  await using site = await setUp()
  const first = site.load(() => {})
  await screen.findByText('ada: 20 meetings')
  await waitFor(() => expect(localStorage.getItem(DISK)).toContain('"ada"'))
  first.unmount()
  site.session.user = 'ben'
  // Only the answer of `GET /me` is left, and still fresh.
  const disk = JSON.parse(localStorage.getItem(DISK) ?? '') as PersistedClient
  disk.clientState.queries = disk.clientState.queries.filter(({ queryKey }) => queryKey[0] === 'me')
  localStorage.setItem(DISK, JSON.stringify(disk))
  let loads = 0
  function reload(page?: { unmount: () => void }): void {
    page?.unmount()
    if (++loads < 10) site.load(reload)
  }
  reload()
  await waitFor(() => expect(site.said).toHaveBeenCalledWith(expect.stringMatching(STANDS_STILL)))
  await screen.findByText('ada: USER_CHANGED')
  expect(loads).toBe(2)
})

it('shows the next user if the kept answer is removed', async () => {
  await using site = await setUp()
  const asked = vi.fn<() => void>()
  const { queryClient } = site.load(({ queryClient }) => {
    asked()
    void queryClient.resetQueries({ queryKey: ['me'] })
  })
  await screen.findByText('ada: 20 meetings')
  for (const user of ['ben', 'ada', 'ben']) {
    site.session.user = user
    void queryClient.resetQueries({ queryKey: ['stagepass'] })
    await screen.findByText(`${user}: 20 meetings`)
  }
  expect(asked).toHaveBeenCalledTimes(3)
  expect(site.said).not.toHaveBeenCalledWith(expect.stringMatching(STANDS_STILL))
})

it('sends no further request if the page gives another id than the grant', async () => {
  await using site = await setUp()
  const { queryClient } = site.load(({ queryClient }) => void queryClient.resetQueries({ queryKey: ['me'] }))
  await screen.findByText('ada: 20 meetings')
  site.me = () => 'ada@example.com'
  void queryClient.resetQueries({ queryKey: ['me'] })
  await waitFor(() => expect(site.said).toHaveBeenCalledWith(expect.stringMatching(STANDS_STILL)))
  await screen.findByText('ada@example.com: USER_CHANGED')
})

describe('a repeated change', () => {
  const at = (ms: number) => ({ ...createPlatform(), wallNow: () => ms })
  const NOW = Date.UTC(2026, 0, 1)

  it('is one within ten seconds, over reloads, for one BFF, without a success between', () => {
    expect(createReloadGuard('/a', at(NOW)).isRepeated()).toBe(false)
    expect(createReloadGuard('/b', at(NOW)).isRepeated()).toBe(false)
    expect(createReloadGuard('/a', at(NOW + 9_999)).isRepeated()).toBe(true)
    expect(createReloadGuard('/a', at(NOW + 30_000)).isRepeated()).toBe(false)
    createReloadGuard('/a', at(NOW + 30_001)).forget()
    expect(createReloadGuard('/a', at(NOW + 30_002)).isRepeated()).toBe(false)
    // The clock was set back.
    expect(createReloadGuard('/a', at(NOW)).isRepeated()).toBe(false)
    expect(JSON.stringify(sessionStorage)).not.toContain('ada')
  })

  it('is found in one page if the browser forbids the storage', () => {
    const forbidden = vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    })
    const changes = createReloadGuard('/a', at(NOW))
    expect([changes.isRepeated(), changes.isRepeated()]).toEqual([false, true])
    forbidden.mockRestore()
  })
})

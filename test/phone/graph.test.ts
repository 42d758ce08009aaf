import { expect, it } from 'vitest'
import { graphOf } from './bundlePhone.js'

const SOURCE = '@stagepass/source'
const PHONE = 'packages/react/src/'

async function differencesOf(entry: string): Promise<{ page: string[]; phone: string[] }> {
  const page = await graphOf(entry, [SOURCE, 'browser', 'import'])
  const phone = await graphOf(entry, [SOURCE, 'react-native', 'import'])
  const without = (files: readonly string[], others: readonly string[]): string[] =>
    files.filter((file) => !others.includes(file)).toSorted()
  return { page: without(page, phone), phone: without(phone, page) }
}

it('a phone swaps the platform and the socket, and no other file', async () => {
  const { page, phone } = await differencesOf('@stagepass/react')
  const ours = page.filter((file) => file.startsWith('packages/'))
  expect(ours).toEqual([`${PHONE}platform/createPlatform.ts`, `${PHONE}stream/wire/openSocket.ts`])
  expect(phone).toEqual([
    `${PHONE}platform/createPlatform.native.ts`,
    `${PHONE}stream/wire/openSocket.native.ts`,
  ])
  // A page has its library of sockets, and a phone has none.
  const libraries = page.filter((file) => !ours.includes(file))
  expect(libraries.length).toBeGreaterThan(0)
  expect(libraries.filter((file) => !/node_modules\/(?:react-use-websocket|react-dom)\//.test(file))).toEqual(
    [],
  )
})

it.each(['@stagepass/react/codecs', '@stagepass/react/transcript'])(
  'a phone has the same files of %s',
  async (entry) => {
    expect(await differencesOf(entry)).toEqual({ page: [], phone: [] })
  },
)

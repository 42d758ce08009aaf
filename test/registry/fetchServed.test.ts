import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { digestOf, servedFiles } from '../../registry/build.js'
import { fetchServed } from '../../scripts/fetchServed.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A site below a path, with these files of `/r/`. */
async function startSite(files: Readonly<Record<string, string>>) {
  const server = createServer((req, res) => {
    const text = files[req.url?.replace('/kit/r/', '') ?? '']
    res.writeHead(text === undefined ? 404 : 200).end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kit/r/`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-fetched-'))
  folders.push(folder)
  return folder
}

const OLD = '{"name":"captions"}'
const DIGESTS = JSON.stringify({ 'captions.json': digestOf(OLD) })

it('fetches each version that the site has, and the next build serves it at the same address', async () => {
  await using site = await startSite({ '0.0.1/digests.json': DIGESTS, '0.0.1/captions.json': OLD })
  const folder = newFolder()
  expect(await fetchServed(site.address, folder, ['0.0.1', '0.0.2'])).toEqual(['0.0.1'])
  const served = servedFiles(folder)
  expect(served.get('0.0.1/captions.json')).toBe(OLD)
  expect(served.get('0.0.1/digests.json')).toBe(DIGESTS)
})

it('a site that has nothing yet leaves an empty folder', async () => {
  await using site = await startSite({})
  const folder = newFolder()
  expect(await fetchServed(site.address, folder, [])).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

it.each<[string, Readonly<Record<string, string>>]>([
  ['is another one', { '0.0.1/captions.json': '{}' }],
  ['is missing', {}],
])('a file that %s stops the build', async (_, files) => {
  await using site = await startSite({ '0.0.1/digests.json': DIGESTS, ...files })
  await expect(fetchServed(site.address, newFolder(), ['0.0.1'])).rejects.toThrow(
    'Failed to fetch /r/0.0.1/captions.json: it is not the file of its digest.',
  )
})

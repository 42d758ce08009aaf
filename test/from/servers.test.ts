import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { Bff } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'
import express, { type RequestHandler } from 'express'
import { expect, it, vi } from 'vitest'
import { programsOf, ROOT, writePrograms } from '../docs/programs.js'

const FOLDER = `${ROOT}.cache/fromServers/`

const servers = readdirSync(`${ROOT}docs/from`)
  .flatMap((name) => programsOf(`docs/from/${name}`))
  .filter(({ file }) => file.endsWith('/voice.ts'))

it.each(servers)(
  'the server after the move mints for a user, and for nobody else: $file',
  async (program) => {
    await using upstream = await createEmulator()
    vi.stubEnv('VOICE_API_KEY', upstream.apiKey)
    vi.stubEnv('VOICE_BASE_URL', upstream.baseUrl)
    vi.stubEnv('VOICE_STREAMING_URL', upstream.streamingUrl)
    vi.stubGlobal('currentUser', async ({ headers }: Request) =>
      'cookie' in headers ? { id: 'ada', meetingsKey: '' } : null,
    )
    writePrograms(FOLDER, [program])
    const { voice } = (await import(/* @vite-ignore */ FOLDER + program.file)) as {
      voice: Bff & RequestHandler
    }
    const server = express().use('/api/voice', voice).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const mint = async (headers: Record<string, string>): Promise<number> => {
        const response = await fetch(`${origin}/api/voice/session-token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-stagepass': '1', origin, ...headers },
          body: JSON.stringify({ usage_type: 'stt' }),
        })
        await response.arrayBuffer()
        return response.status
      }
      expect(await mint({ cookie: 'session=ada' })).toBe(200)
      expect(await mint({})).toBe(401)
    } finally {
      server.closeAllConnections()
      server.close()
      await voice.close()
      vi.unstubAllEnvs()
      vi.unstubAllGlobals()
    }
  },
)

it('is in one page, to which the others link', () => expect(servers).toHaveLength(1))

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { resolveMeetingsWire } from '@stagepass/contract'
import { describeService } from './describeService.js'
import type { Service } from './Service.js'

/* The service of the variables VOICE_…: `npm run test:service`. CONTRIBUTING.md describes it. */

/** An empty or blank variable counts as missing. */
const readVariable = (name: string): string | undefined => process.env[name]?.trim() || undefined

function need(name: string): string {
  const value = readVariable(name)
  if (value !== undefined) return value
  throw new Error(
    `Failed to find the service: the variable ${name} is not set. Set VOICE_API_KEY, VOICE_BASE_URL and VOICE_STREAMING_URL.`,
  )
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '')

/** A JSON object as the doctor's `--wire` takes it. */
function readWire() {
  const file = readVariable('VOICE_MEETINGS_WIRE')
  const given: unknown = file !== undefined ? JSON.parse(readFileSync(file, 'utf8')) : {}
  return resolveMeetingsWire(given, (part, problem) => {
    throw new Error(`Failed to read VOICE_MEETINGS_WIRE: ${part} ${problem}`)
  })
}

/** As the doctor: the users of the account need the rest of its 5 requests a second. */
const APART_MS = 500

function createPacedFetch(isPaced: (url: string) => boolean): Service['fetch'] {
  let turn: Promise<void> = Promise.resolve()
  const takeTurn = (): Promise<void> => {
    const mine = turn
    turn = mine.then(() => pause(APART_MS))
    return mine
  }
  return async (url, init) => {
    if (isPaced(url)) await takeTurn()
    return fetch(url, { redirect: 'manual', ...init })
  }
}

const apiKey = need('VOICE_API_KEY')
const baseUrl = withoutSlash(need('VOICE_BASE_URL'))
const credential = readVariable('VOICE_MEETINGS_TOKEN')

const service: Service = {
  apiKey,
  baseUrl,
  streamingUrl: withoutSlash(need('VOICE_STREAMING_URL')),
  ...(credential !== undefined && {
    meetings: {
      url: withoutSlash(readVariable('VOICE_MEETINGS_URL') ?? baseUrl),
      credential,
      wire: readWire(),
    },
  }),
  fetch: createPacedFetch((url) => !url.endsWith('/tokens/session')),
  ...(readVariable('VOICE_EXCEED_LIMITS') === 'yes' && { waitForQuiet: () => pause(5_000) }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

describeService(new URL(baseUrl).host, () => Promise.resolve(service))

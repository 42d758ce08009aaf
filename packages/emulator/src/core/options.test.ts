import { createBff } from '@stagepass/bff/fetch'
import { describe, expect, it } from 'vitest'
import { createBrowserEmulator } from '../browser/createBrowserEmulator.js'
import { getMeetings } from '../node/client.test.kit.js'
import { createEmulator } from '../node/createEmulator.js'
import { delay, drop, fail, malformed } from './faults/faults.js'

it('a part of the wire replaces only that part, as in createBff', async () => {
  const wire = { params: { limit: 'page_size' }, order: { oldest: 'asc' } }
  await using upstream = await createEmulator({ meetings: [{ id: 'a' }, { id: 'b' }], wire })
  const list = await getMeetings(upstream, '/meetings?page_size=1&order=asc&sort_by=date')
  expect(list).toMatchObject({ status: 200, body: { meetings: [{ id: 'b' }], total: 2 } })

  const { bffOptions, meetingsCredential: credential } = upstream
  const bff = createBff({
    ...bffOptions,
    meetings: { ...bffOptions.meetings, wire },
    authorize: () => ({ user: 'ada', meetings: { credential } }),
  })
  const address = 'http://localhost/meetings?limit=1&order=oldest&sort_by=date'
  const response = await bff.fetch(new Request(address, { headers: { 'x-stagepass': '1' } }))
  expect(await response.json()).toMatchObject({ meetings: [{ id: 'b' }], total: 2 })
  await bff.close()
})

describe('a wrong option throws a sentence with its remedy, on Node and in a page', () => {
  it.each<readonly [object, string]>([
    [{ emit: 1 }, 'the object of options has an unknown key "emit". Use only: '],
    [{ refuseby: 'close' }, 'the object of options has an unknown key "refuseby". Did you mean "refuseBy"?'],
    [{ wire: { list: '/calls' } }, 'wire has an unknown key "list". Use only: listPath, meetingPath, '],
    [{ wire: { listpath: '/calls' } }, 'wire has an unknown key "listpath". Did you mean "listPath"?'],
    [{ wire: { params: { ordr: 'x' } } }, 'wire.params has an unknown key "ordr". Did you mean "order"?'],
    [{ wire: { listPath: 'calls' } }, 'wire.listPath is not a path.'],
    [{ wire: null }, 'wire is not an object.'],
    [{ latency: { milliseconds: 5 } }, 'latency has an unknown key "milliseconds". Use only: ms, jitterMs.'],
    [{ latency: 5 }, 'latency is not an object. Use an object with some of these keys: ms, jitterMs.'],
    [{ ids: { reqID: () => '1' } }, 'ids has an unknown key "reqID". Did you mean "reqId"?'],
    [{ keys: [{ key: 'k', status: 'paused' }] }, 'keys has an unknown key "status". Did you mean "state"?'],
    [{ keys: [{ key: 'k', state: 'stopped' }] }, 'keys.state is "stopped". Choose one of valid, invalid,'],
    [{ keys: ['k'] }, 'keys is not an object.'],
    [{ keys: 'k' }, 'keys is not a list. Use a list of objects.'],
    [{ credentials: [{ credential: 'c', scope: 'read' }] }, 'credentials has an unknown key "scope".'],
  ])('%j', async (options, sentence) => {
    const message = `Failed to start the emulator: ${sentence}`
    await expect(createEmulator(options)).rejects.toThrow(message)
    expect(() => createBrowserEmulator(options)).toThrow(message)
  })

  it('the options of the other place are not known', async () => {
    await expect(createEmulator({ faults: [] } as object)).rejects.toThrow('unknown key "faults"')
    expect(() => createBrowserEmulator({ port: 1 } as object)).toThrow('unknown key "port"')
    await expect(createEmulator({ prt: 1 } as object)).rejects.toThrow('Did you mean "port"?')
  })

  it('a fault does not ignore a misspelt option', () => {
    const wrong = (match: object) => match
    expect(() => fail('AUTH_NO_LICENSE', wrong({ time: 1 }))).toThrow(
      `Failed to make the fault fail('AUTH_NO_LICENSE'): its object of options has an unknown key "time". Did you mean "times"?`,
    )
    for (const make of [() => delay(5, wrong({ when: 1 })), () => malformed('html', wrong({ byte: 1 }))])
      expect(make).toThrow('its object of options has an unknown key')
    expect(() => drop(wrong({ When: 'mid-response' }))).toThrow('unknown key "When"')
    expect(fail('unauthorized', { refuseBy: 'close', times: 1 })).toMatchObject({ times: 1 })
  })
})

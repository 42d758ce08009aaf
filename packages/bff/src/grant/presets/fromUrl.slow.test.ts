import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { byCookie, startTeamServer } from './authorize.test.kit.js'
import { fromUrl } from './index.js'

it('S49 answers are bounded: of 12,000 sessions 10,000 are kept', async () => {
  const clock = virtualClock()
  await using team = await startTeamServer(byCookie)
  const authorize = fromUrl({ url: team.url, clock })
  const askAs = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, more) => authorize({ headers: { cookie: `user=u${at + more}` } })),
      )
  }
  await askAs(0, 12_000)
  team.requests.length = 0
  // The last 10,000 are kept, and the first are not.
  await askAs(2_000, 2_050)
  expect(team.requests).toHaveLength(0)
  await askAs(0, 50)
  expect(team.requests).toHaveLength(50)
})

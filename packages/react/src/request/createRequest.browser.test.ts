import { openBrowserStack } from '@stagepass/testing/browser'
import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { meetingsOptions } from '../meetings/meetingsOptions.js'

it("sends its requests with the browser's own fetch, if that is the option", async () => {
  await using stack = await openBrowserStack()
  const client = createVoiceClient({ url: stack.url, fetch: window.fetch })
  const { pages } = await new QueryClient().fetchInfiniteQuery(meetingsOptions(client, { pageSize: 10 }))
  expect(pages[0]?.meetings).toHaveLength(10)
})

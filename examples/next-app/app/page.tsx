import { createVoiceClient, meetingsOptions } from '@stagepass/react'
import { dehydrate, QueryClient } from '@tanstack/react-query'
import { cookies } from 'next/headers'
import { createLogin } from '../../login/login'
import { SignIn } from '../../login/SignIn'
import { getBff, grantOf } from '../lib/voice'
import { filters } from '../../page/filters'
import { Workplace } from '../../page/Workplace'

export default async function Page() {
  // First, because it tells Next.js that this page is rendered for each request, and not in the build.
  const sent = (await cookies()).toString()
  const user = createLogin().userOf(sent)
  if (user === undefined) return <SignIn />

  // New clients for each request: visitors must not share a list.
  const queryClient = new QueryClient()
  const voice = createVoiceClient({
    url: '/api/voice', // the same as in the page, because it is part of every query key
    // In this process: no request, and no cookie.
    fetch: getBff().as(grantOf(user)).fetch,
  })
  voice.setUser(user)
  await queryClient.prefetchInfiniteQuery(meetingsOptions(voice, filters))
  // By the user too: nothing of one user may stay in the page for the next.
  return <Workplace key={user} user={user} state={dehydrate(queryClient)} />
}

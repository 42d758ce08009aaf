import { createVoiceClient, meetingsOptions } from '@stagepass/react'
import { dehydrate, QueryClient } from '@tanstack/react-query'
import { cookies } from 'next/headers'
import { login } from '../lib/login'
import { getBff } from '../lib/voice'
import { filters } from './filters'
import { SignIn } from './SignIn'
import { Workplace } from './Workplace'

interface PageProps {
  readonly searchParams: Promise<Readonly<Record<string, unknown>>>
}

export default async function Page({ searchParams }: PageProps) {
  const cookie = (await cookies()).toString()
  const user = login.userOf(cookie)
  if (user === undefined) return <SignIn failed={'failed' in (await searchParams)} />

  // New clients for each request: visitors must not share a list.
  const queryClient = new QueryClient()
  const voice = createVoiceClient({
    url: '/api/voice', // the same as in the page, because it is part of every query key
    headers: { cookie },
    // In this process: no request over the network.
    fetch: (path, init) => getBff().fetch(new Request(new URL(path as string, login.publicOrigin), init)),
  })
  voice.setUser(user)
  await queryClient.prefetchInfiniteQuery(meetingsOptions(voice, filters))
  // By the user too: nothing of one user may stay in the page for the next.
  return <Workplace key={user} user={user} state={dehydrate(queryClient)} />
}

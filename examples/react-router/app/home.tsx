import { createVoiceClient, meetingsOptions } from '@stagepass/react'
import { dehydrate, QueryClient } from '@tanstack/react-query'
import { createLogin } from '../../login/login'
import { SignIn } from '../../login/SignIn'
import type { Route } from './+types/home'
import { filters } from '../../page/filters'
import { bff, grantOf } from '../../server/voice'
import { Workplace } from '../../page/Workplace'

export async function loader({ request }: Route.LoaderArgs) {
  const user = createLogin().userOf(request.headers.get('cookie'))
  if (user === undefined) return { user: null }

  // New clients for each request: visitors must not share a list.
  const queryClient = new QueryClient()
  const voice = createVoiceClient({
    url: '/api/voice', // the same as in the page, because it is part of every query key
    // In this process: no request, and no cookie.
    fetch: bff.as(grantOf(user)).fetch,
  })
  voice.setUser(user)
  await queryClient.prefetchInfiniteQuery(meetingsOptions(voice, filters))
  return { user, state: dehydrate(queryClient) }
}

export default function Home({ loaderData }: Route.ComponentProps) {
  if (loaderData.user === null) return <SignIn />
  // By the user too: nothing of one user may stay in the page for the next.
  return <Workplace key={loaderData.user} user={loaderData.user} state={loaderData.state} />
}

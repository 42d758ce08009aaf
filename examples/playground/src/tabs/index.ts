/* oxlint-disable import/default -- a file as text has a default export that the linter cannot see */
import { FaultsSample } from './FaultsSample.js'
import faultsSource from './FaultsSample.tsx?raw'
import { MeetingsSample } from './MeetingsSample.js'
import meetingsSource from './MeetingsSample.tsx?raw'
import { StreamSample } from './StreamSample.js'
import streamSource from './StreamSample.tsx?raw'
import type { Tab } from './Tab.js'
import { TokenSample } from './TokenSample.js'
import tokenSource from './TokenSample.tsx?raw'
import { UsersSample } from './UsersSample.js'
import usersSource from './UsersSample.tsx?raw'

export const TABS: readonly [Tab, ...Tab[]] = [
  {
    id: 'token',
    title: 'Token',
    intro:
      'A session token for one product. It renews itself before it expires. The API key is on the wire between the BFF and the service only.',
    file: 'TokenSample.tsx',
    source: tokenSource,
    Sample: TokenSample,
  },
  {
    id: 'stream',
    title: 'Stream',
    intro: 'A WebSocket that always opens with a live token, and comes back if it is lost.',
    file: 'StreamSample.tsx',
    source: streamSource,
    Sample: StreamSample,
  },
  {
    id: 'meetings',
    title: 'Meetings',
    intro: 'A list that loads page by page. Each meeting is in it once, also if the list changes meanwhile.',
    file: 'MeetingsSample.tsx',
    source: meetingsSource,
    Sample: MeetingsSample,
  },
  {
    id: 'users',
    title: 'Users',
    intro: 'One user at a time. In the commit in which the user changes, nothing of the first one is left.',
    file: 'UsersSample.tsx',
    source: usersSource,
    Sample: UsersSample,
  },
  {
    id: 'faults',
    title: 'Faults',
    intro:
      'Choose a fault, and see what the hooks do with it. A final error stays; any other is tried again.',
    file: 'FaultsSample.tsx',
    source: faultsSource,
    Sample: FaultsSample,
  },
]

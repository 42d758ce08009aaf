/* oxlint-disable import/default -- a file as text has a default export that the linter cannot see */
import captions from '../../../../registry/items/captions.tsx?raw'
import meetingsList from '../../../../registry/items/meetings-list.tsx?raw'
import pushToTalk from '../../../../registry/items/push-to-talk.tsx?raw'
import { CaptionsSample } from './CaptionsSample.js'
import captionsSource from './CaptionsSample.tsx?raw'
import { FaultsSample } from './FaultsSample.js'
import faultsSource from './FaultsSample.tsx?raw'
import { MeetingsSample } from './MeetingsSample.js'
import meetingsSource from './MeetingsSample.tsx?raw'
import { SpeechSample } from './SpeechSample.js'
import speechSource from './SpeechSample.tsx?raw'
import { StreamSample } from './StreamSample.js'
import streamSource from './StreamSample.tsx?raw'
import type { Tab } from './Tab.js'
import { TokenSample } from './TokenSample.js'
import tokenSource from './TokenSample.tsx?raw'
import { UsersSample } from './UsersSample.js'
import usersSource from './UsersSample.tsx?raw'

const MEETINGS_LIST = { name: 'meetings-list.tsx', text: meetingsList }

export const TABS: readonly [Tab, ...Tab[]] = [
  {
    id: 'token',
    title: 'Token',
    intro:
      'A session token for one product. It renews itself before it expires. The API key is on the wire between the BFF and the service only.',
    files: [{ name: 'TokenSample.tsx', text: tokenSource }],
    Sample: TokenSample,
  },
  {
    id: 'stream',
    title: 'Stream',
    intro: 'A WebSocket that always opens with a live token, and comes back if it is lost.',
    files: [{ name: 'StreamSample.tsx', text: streamSource }],
    Sample: StreamSample,
  },
  {
    id: 'captions',
    title: 'Captions',
    intro: 'What is said, as it is heard. The microphone is on while you hold the button, and never longer.',
    files: [
      { name: 'CaptionsSample.tsx', text: captionsSource },
      { name: 'captions.tsx', text: captions },
      { name: 'push-to-talk.tsx', text: pushToTalk },
    ],
    Sample: CaptionsSample,
  },
  {
    id: 'speech',
    title: 'Speech',
    intro: 'A text becomes a voice. Each word is marked while it is heard.',
    files: [{ name: 'SpeechSample.tsx', text: speechSource }],
    Sample: SpeechSample,
  },
  {
    id: 'meetings',
    title: 'Meetings',
    intro: 'A list that loads page by page. Each meeting is in it once, also if the list changes meanwhile.',
    files: [{ name: 'MeetingsSample.tsx', text: meetingsSource }, MEETINGS_LIST],
    Sample: MeetingsSample,
  },
  {
    id: 'users',
    title: 'Users',
    intro: 'One user at a time. In the commit in which the user changes, nothing of the first one is left.',
    files: [{ name: 'UsersSample.tsx', text: usersSource }, MEETINGS_LIST],
    Sample: UsersSample,
  },
  {
    id: 'faults',
    title: 'Faults',
    intro:
      'Choose a fault, and see what the hooks do with it. A final error stays; any other is tried again.',
    files: [{ name: 'FaultsSample.tsx', text: faultsSource }],
    Sample: FaultsSample,
  },
]

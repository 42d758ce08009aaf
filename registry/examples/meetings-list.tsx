import { MeetingsList } from '../items/meetings-list'

export function Page() {
  return <MeetingsList />
}

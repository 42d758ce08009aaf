import { UsageMeter } from '../items/usage-meter'

export function Page() {
  return <UsageMeter product="stt" />
}

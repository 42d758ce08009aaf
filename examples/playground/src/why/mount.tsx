import { mountIn } from '../ui/mountIn.js'
import { Comparison } from './Comparison.js'
import type { FailureName } from './failures.js'

/** Shows a failure beside what the hooks do. Returns the function that removes it. */
export const mount = (element: HTMLElement, name: FailureName): (() => void) =>
  mountIn(element, <Comparison name={name} />)

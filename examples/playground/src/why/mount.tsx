import { createRoot } from 'react-dom/client'
import styles from '../playground.css?inline'
import { Comparison } from './Comparison.js'
import type { FailureName } from './failures.js'

/** Shows a failure beside what the hooks do. Returns the function that removes it. */
export function mount(element: HTMLElement, name: FailureName): () => void {
  const root = createRoot(element)
  root.render(
    <>
      <style>{styles}</style>
      <Comparison name={name} />
    </>,
  )
  return () => root.unmount()
}

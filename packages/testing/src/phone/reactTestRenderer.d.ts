/** What is used of it. */
declare module 'react-test-renderer' {
  import type { ReactElement } from 'react'

  export interface ReactTestRendererJSON {
    readonly children: readonly (ReactTestRendererJSON | string)[] | null
  }
  export interface ReactTestRenderer {
    toJSON(): ReactTestRendererJSON | readonly ReactTestRendererJSON[] | null
    update(element: ReactElement): void
    unmount(): void
  }
  export function create(element: ReactElement): ReactTestRenderer
}

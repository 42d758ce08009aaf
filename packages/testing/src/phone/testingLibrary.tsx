import { act as reactAct, type ComponentType, type ReactElement, type ReactNode } from 'react'
import { create, type ReactTestRenderer, type ReactTestRendererJSON } from 'react-test-renderer'
import { vi } from 'vitest'

/*
 * The part of @testing-library/react that needs no document, on React's own renderer for tests. In the
 * project `phone` it stands for that package.
 */

// The second one says that this renderer is not used for a page.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, IS_REACT_NATIVE_TEST_ENVIRONMENT: true })

const mounted = new Set<ReactTestRenderer>()

export const act = reactAct

interface RenderOptions {
  readonly wrapper?: ComponentType<{ children: ReactNode }> | undefined
}

export function render(element: ReactElement, { wrapper: Wrapper }: RenderOptions = {}) {
  const wrap = (inner: ReactElement): ReactElement => (Wrapper ? <Wrapper>{inner}</Wrapper> : inner)
  let root!: ReactTestRenderer
  act(() => {
    root = create(wrap(element))
  })
  mounted.add(root)
  return {
    container: {
      get textContent(): string {
        return textOf(root.toJSON())
      },
    },
    rerender: (next: ReactElement) => act(() => root.update(wrap(next))),
    unmount: (): void => {
      mounted.delete(root)
      act(() => root.unmount())
    },
  }
}

function textOf(tree: ReactTestRendererJSON | readonly ReactTestRendererJSON[] | string | null): string {
  if (typeof tree === 'string') return tree
  if (tree === null) return ''
  const parts = 'children' in tree ? (tree.children ?? []) : tree
  return parts.map((part) => textOf(part)).join('')
}

export function renderHook<TResult, TProps>(
  hook: (props: TProps) => TResult,
  { initialProps, ...options }: RenderOptions & { readonly initialProps?: TProps } = {},
) {
  const result = {} as { current: TResult }
  function Hook({ props }: { props: TProps }): null {
    result.current = hook(props)
    return null
  }
  const { rerender, unmount } = render(<Hook props={initialProps as TProps} />, options)
  return { result, unmount, rerender: (props?: TProps) => rerender(<Hook props={props as TProps} />) }
}

export function cleanup(): void {
  for (const root of mounted) act(() => root.unmount())
  mounted.clear()
}

/** Waits outside of `act`, as the library does, because the changes come from real servers. */
export async function waitFor<TValue>(callback: () => TValue | Promise<TValue>): Promise<TValue> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false })
  try {
    return await vi.waitFor(callback)
  } finally {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
    await act(async () => {})
  }
}

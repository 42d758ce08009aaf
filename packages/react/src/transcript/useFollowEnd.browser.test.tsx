import { cleanup, render } from '@testing-library/react'
import { createPortal } from 'react-dom'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { useFollowEnd } from './useFollowEnd.js'

afterEach(cleanup)

const LINE_PX = 20

function Page({ lines, from = 0 }: { lines: number; from?: number }) {
  const { ref, isAtEnd, scrollToEnd } = useFollowEnd()
  return (
    <>
      <div
        ref={ref}
        role="group"
        tabIndex={0}
        style={{ height: 5 * LINE_PX, overflow: 'auto', scrollBehavior: 'smooth' }}
      >
        <ol style={{ margin: 0, padding: 0 }}>
          {Array.from({ length: lines - from }, (_, index) => (
            <li key={from + index} style={{ height: LINE_PX, listStyle: 'none' }}>
              {from + index}
            </li>
          ))}
        </ol>
      </div>
      {!isAtEnd && <button onClick={scrollToEnd}>To the newest</button>}
    </>
  )
}

function openPage() {
  const page = render(<Page lines={50} />)
  const box = page.getByRole('group')
  const below = (): number => box.scrollHeight - box.clientHeight - box.scrollTop
  return {
    box,
    list: box.firstElementChild as HTMLElement,
    below,
    button: () => page.queryByRole('button'),
    show: (lines: number, from = 0) => page.rerender(<Page lines={lines} from={from} />),
    /** Scrolls like a reader. The page gets the event in the next frame. */
    scroll: (top: number): void => box.scrollTo({ top, behavior: 'instant' }),
    isAtEnd: () => vi.waitFor(() => expect(below()).toBeLessThanOrEqual(1)),
    isAway: () => vi.waitFor(() => expect(page.queryByRole('button')).not.toBe(null)),
  }
}

/** Waits until all work of these frames is done. */
const frames = (count: number): Promise<void> =>
  new Promise((resolve) => {
    const next = (left: number): void =>
      void requestAnimationFrame(() => (left === 0 ? resolve() : next(left - 1)))
    next(count)
  })

it('follows the end of a box that grows, with a render and without', async () => {
  const page = openPage()
  await page.isAtEnd()
  for (let lines = 51; lines < 80; lines += 1) {
    page.show(lines)
    await frames(1)
  }
  await page.isAtEnd()
  page.list.style.paddingBottom = '300px'
  await page.isAtEnd()
  page.box.style.height = `${2 * LINE_PX}px`
  await page.isAtEnd()
  expect(page.button()).toBe(null)
})

it('does not move a reader who has scrolled back, until the button or the end', async () => {
  const page = openPage()
  await page.isAtEnd()
  page.scroll(page.box.scrollTop - LINE_PX)
  await page.isAway()
  const { scrollTop } = page.box
  page.show(90)
  page.list.style.paddingBottom = '100px'
  await frames(3)
  expect(page.box.scrollTop).toBe(scrollTop)

  page.button()?.click()
  // Before the browser's scroll event.
  page.show(92)
  await page.isAtEnd()
  await vi.waitFor(() => expect(page.button()).toBe(null))
  // Otherwise the focus would be lost with the button.
  expect(document.activeElement).toBe(page.box)
  page.show(95)
  await page.isAtEnd()

  page.scroll(0)
  await page.isAway()
  page.scroll(page.box.scrollHeight)
  await vi.waitFor(() => expect(page.button()).toBe(null))
  page.show(99)
  await page.isAtEnd()
})

it('lets a reader scroll back in the frame in which the box grows', async () => {
  const page = openPage()
  await page.isAtEnd()
  await frames(2)
  page.scroll(200)
  page.list.style.paddingBottom = '100px'
  await frames(3)
  expect(page.box.scrollTop).toBe(200)
  await page.isAway()
})

it('follows the end while as many lines are removed as come', async () => {
  const page = openPage()
  await page.isAtEnd()
  for (let removed = 1; removed < 20; removed += 1) {
    page.show(50 + removed, removed)
    await frames(2)
  }
  await page.isAtEnd()
  expect(page.button()).toBe(null)
})

it('follows the end again if nothing is left to scroll', async () => {
  const page = openPage()
  await page.isAtEnd()
  await frames(2)
  page.scroll(0)
  await page.isAway()
  page.box.style.height = '3000px'
  await vi.waitFor(() => expect(page.button()).toBe(null))
  page.box.style.height = `${5 * LINE_PX}px`
  await page.isAtEnd()
})

it('follows in another window by the sizes of that window', async () => {
  const frame = document.body.appendChild(document.createElement('iframe'))
  onTestFinished(() => frame.remove())
  // That of a hidden page sees nothing.
  vi.stubGlobal('ResizeObserver', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { body } = frame.contentDocument as Document
  const tree = (lines: number) => createPortal(<Page lines={lines} />, body)
  const { rerender } = render(tree(3))
  rerender(tree(50))
  const box = body.querySelector('[role=group]') as HTMLElement
  await vi.waitFor(() => expect(box.scrollHeight - box.clientHeight - box.scrollTop).toBeLessThanOrEqual(1))
  expect(box.scrollTop).toBeGreaterThan(0)
})

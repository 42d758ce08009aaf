import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue'

type Mount = (element: HTMLElement, name: string) => () => void

/** The exports of `examples/playground`, and the stories of the components. */
const modules = import.meta.glob<{ mount: Mount }>([
  '../../../examples/playground/src/{,home/,why/}mount.tsx',
  '../../../registry/stories/mount.ts',
])

const fileOf = (part: string): string =>
  part === 'components'
    ? '../../../registry/stories/mount.ts'
    : `../../../examples/playground/src/${part && `${part}/`}mount.tsx`

/** Resolves when the page is shown, and has nothing else to do. */
const whenIdle = (): Promise<void> =>
  new Promise((resolve) => {
    // Not in every browser.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 2_000 })
    else setTimeout(resolve)
  })

/** Resolves when the element is well in view. On a phone that is when the reader comes to it. */
const whenSeen = (element: Element): Promise<void> =>
  new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (changes) => {
        if (!changes.at(-1)?.isIntersecting) return
        observer.disconnect()
        resolve()
      },
      { rootMargin: '0px 0px -25% 0px' },
    )
    observer.observe(element)
  })

/**
 * A part of the playground or a component that runs in the page, in the browser only: on the server it is an
 * empty element. `part` is a folder of the playground's sources or `components`, `name` what it shows.
 */
export const Live = defineComponent({
  props: { part: { type: String, default: '' }, name: { type: String, default: '' } },
  setup({ part, name }) {
    const element = ref<HTMLElement>()
    let unmount: (() => void) | undefined
    let left = false
    onMounted(async () => {
      const load = modules[fileOf(part)]
      // The home page is for those too who only read it.
      if (part === 'home' && element.value) await whenSeen(element.value)
      await whenIdle()
      const loaded = left ? undefined : await load?.()
      // Not in one go with the evaluation of the code: the page would not answer for as long as both take.
      await whenIdle()
      if (loaded && element.value && !left) unmount = loaded.mount(element.value, name)
    })
    onBeforeUnmount(() => {
      left = true
      unmount?.()
    })
    // Its links and headings are not those of a page.
    return () => h('div', { ref: element, class: ['vp-raw', 'live', part] })
  },
})

import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue'

type Mount = (element: HTMLElement, name: string) => () => void

/** The exports of `examples/playground`, and the stories of the components. */
const modules = import.meta.glob<{ mount: Mount }>([
  '../../../examples/playground/src/{,home/,why/}mount.tsx',
  '../../../registry/stories/mount.ts',
])

const FILES: Readonly<Record<string, string>> = {
  playground: '../../../examples/playground/src/mount.tsx',
  home: '../../../examples/playground/src/home/mount.tsx',
  why: '../../../examples/playground/src/why/mount.tsx',
  components: '../../../registry/stories/mount.ts',
}

/**
 * A part of the playground or a component that runs in the page, in the browser only: on the server it is an
 * empty element. `part` is a key of `FILES`, `name` what it shows.
 */
export const Live = defineComponent({
  props: { part: { type: String, default: 'playground' }, name: { type: String, default: '' } },
  setup({ part, name }) {
    const element = ref<HTMLElement>()
    let unmount: (() => void) | undefined
    let left = false
    onMounted(async () => {
      const loaded = await modules[FILES[part] ?? '']?.()
      if (loaded && element.value && !left) unmount = loaded.mount(element.value, name)
    })
    onBeforeUnmount(() => {
      left = true
      unmount?.()
    })
    // Its links, headings and styles are not those of a page.
    return () => h('div', { ref: element, class: ['vp-raw', 'live', part] })
  },
})

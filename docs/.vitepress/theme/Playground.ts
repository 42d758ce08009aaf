import { defineComponent, h, onBeforeUnmount, onMounted, ref } from 'vue'

/**
 * What `examples/playground` exports. None as long as the folder does not exist: `docs/playground.md` is then
 * left out.
 */
const modules = import.meta.glob<{ mount(element: HTMLElement): () => void }>(
  '../../../examples/playground/src/mount.{ts,tsx}',
)

/** The playground, in the browser only: on the server it is an empty element. */
export const Playground = defineComponent({
  setup() {
    const element = ref<HTMLElement>()
    let unmount: (() => void) | undefined
    let left = false
    onMounted(async () => {
      const [load] = Object.values(modules)
      const loaded = await load?.()
      if (loaded && element.value && !left) unmount = loaded.mount(element.value)
    })
    onBeforeUnmount(() => {
      left = true
      unmount?.()
    })
    // Its links and headings are not those of a page.
    return () => h('div', { ref: element, class: 'vp-raw' })
  },
})

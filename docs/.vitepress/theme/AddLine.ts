import { withBase } from 'vitepress'
import { defineComponent, h, onMounted, ref } from 'vue'

/**
 * The command that adds a component, as a block of code. Only the browser knows the whole address of the
 * site.
 */
export const AddLine = defineComponent({
  props: { path: { type: String, required: true } },
  setup({ path }) {
    const address = ref(withBase(`/${path}`))
    onMounted(() => {
      address.value = new URL(address.value, location.href).href
    })
    return () =>
      h(
        'div',
        { class: 'add-line' },
        h('div', { class: 'language-sh' }, [
          h('button', { class: 'copy', title: 'Copy Code' }),
          h('span', { class: 'lang' }, 'sh'),
          h('pre', h('code', `npx shadcn@latest add ${address.value}`)),
        ]),
      )
  },
})

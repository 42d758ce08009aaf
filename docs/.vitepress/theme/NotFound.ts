import { withBase } from 'vitepress'
import { defineComponent, h } from 'vue'

/** In place of the theme's own, which has no main landmark. */
export const NotFound = defineComponent(
  () => () =>
    h('main', { class: 'wide-page not-found vp-doc' }, [
      h('h1', 'No page has this address'),
      h('p', [
        'Search for it, or an error code, with the field above, or begin at the ',
        h('a', { href: withBase('/') }, 'home page'),
        '.',
      ]),
    ]),
)

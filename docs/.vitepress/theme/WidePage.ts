import { Content } from 'vitepress'
import { defineComponent, h } from 'vue'

/**
 * The layout of home and playground: without menu and outline beside the text. The theme's own layout for it
 * has no main landmark.
 */
export const WidePage = defineComponent(() => () => h('main', { class: 'wide-page vp-doc' }, h(Content)))

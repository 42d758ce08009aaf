import { Content } from 'vitepress'
import { defineComponent, h } from 'vue'

/** The layout of the home page. The theme's own has no main landmark. */
export const HomePage = defineComponent(() => () => h('main', { class: 'home-page vp-doc' }, h(Content)))

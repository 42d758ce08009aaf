import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import { AddLine } from './AddLine.js'
import { Live } from './Live.js'
import { NotFound } from './NotFound.js'
import { WidePage } from './WidePage.js'
import './palette.css'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: defineComponent(() => () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) })),
  enhanceApp({ app }) {
    app.component('AddLine', AddLine)
    app.component('Live', Live)
    app.component('WidePage', WidePage)
  },
} satisfies Theme

import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import { AddLine } from './AddLine.js'
import { HomePage } from './HomePage.js'
import { Live } from './Live.js'
import { NotFound } from './NotFound.js'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: defineComponent(() => () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) })),
  enhanceApp({ app }) {
    app.component('AddLine', AddLine)
    app.component('HomePage', HomePage)
    app.component('Live', Live)
  },
} satisfies Theme

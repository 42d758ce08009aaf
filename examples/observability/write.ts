import { readFileSync, writeFileSync } from 'node:fs'
import { withPanels, withRule } from './pages.js'

/** Writes what is made of the table of figures. A test fails if a file is not up to date. */
const change = (name: string, change: (text: string) => string): void => {
  const file = new URL(name, import.meta.url)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
change('alerts.yml', withRule)
change('grafana-dashboard.json', withPanels)

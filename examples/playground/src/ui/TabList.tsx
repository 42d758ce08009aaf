import type { KeyboardEvent, ReactNode } from 'react'
import { useRef } from 'react'

interface TabListProps {
  /** The name for a screen reader. */
  readonly label: string
  /** `state`: shown beside the title. */
  readonly tabs: readonly {
    readonly id: string
    readonly title: string
    readonly state?: ReactNode
  }[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

/** Element ids of a tab and its panel. */
export const idsOf = (id: string) => ({ tab: `stagepass-tab-${id}`, panel: `stagepass-panel-${id}` })

/**
 * Arrow keys, Home and End move between tabs; the Tab key leaves them. (ARIA Authoring Practices, "Tabs".)
 */
export function TabList({ label, tabs, chosen, onChoose }: TabListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null)

  function onKeyDown(event: KeyboardEvent): void {
    const at = tabs.findIndex(({ id }) => id === chosen)
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const target = tabs[targets[event.key] ?? -1]
    if (!target || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onChoose(target.id)
    list.current?.querySelector<HTMLElement>(`#${idsOf(target.id).tab}`)?.focus()
  }

  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {tabs.map(({ id, title, state }) => (
        <button
          key={id}
          role="tab"
          type="button"
          id={idsOf(id).tab}
          aria-selected={id === chosen}
          // Only the chosen panel is in the page.
          aria-controls={id === chosen ? idsOf(id).panel : undefined}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {title}
          {state}
        </button>
      ))}
    </div>
  )
}

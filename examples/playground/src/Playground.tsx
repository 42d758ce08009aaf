import type { ReactNode } from 'react'
import { useRef, useState } from 'react'
import { TABS } from './tabs/index.js'
import { TabRoom } from './TabRoom.js'
import { TabList } from './ui/TabList.js'
import { useTheme } from './ui/useTheme.js'

export function Playground(): ReactNode {
  const [chosen, setChosen] = useState('token')
  const element = useRef<HTMLDivElement>(null)
  const theme = useTheme(element)
  const tab = TABS.find(({ id }) => id === chosen) ?? TABS[0]

  return (
    <div className="stagepass-playground" data-theme={theme} ref={element}>
      <TabList label="Playground" tabs={TABS} chosen={tab.id} onChoose={setChosen} />
      {/* By its id: each tab has an emulator and a log of its own. */}
      <TabRoom key={tab.id} tab={tab} />
    </div>
  )
}

import { useEffect, useState } from 'react'

export type Theme = 'light' | 'dark'

const STORED = 'stagepass-demo-theme'

/** Light or dark: the system's, until the person chooses; the choice is remembered. */
export function useTheme(): readonly [Theme, () => void] {
  const [chosen, setChosen] = useState((): Theme | undefined => {
    const stored = localStorage.getItem(STORED)
    return stored === 'light' || stored === 'dark' ? stored : undefined
  })
  useEffect(() => {
    if (chosen === undefined) return
    document.documentElement.dataset.theme = chosen
    localStorage.setItem(STORED, chosen)
  }, [chosen])

  const theme = chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  return [theme, () => setChosen(theme === 'dark' ? 'light' : 'dark')]
}

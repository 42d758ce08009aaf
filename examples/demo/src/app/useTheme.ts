import { useEffect, useState } from 'react'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORED = 'stagepass-demo-theme'

/** The person's choice of light or dark, remembered; `system` follows the system. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => {
    const stored = localStorage.getItem(STORED)
    return THEMES.find((theme) => theme === stored) ?? 'system'
  })
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    localStorage.setItem(STORED, theme)
  }, [theme])
  return [theme, setTheme]
}

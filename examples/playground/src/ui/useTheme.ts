import { type RefObject, useLayoutEffect, useState } from 'react'

export type Theme = 'light' | 'dark'

/**
 * Light or dark as the page around the element: the class `dark`, else the background behind it, else what
 * the system prefers.
 */
export function useTheme(element: RefObject<HTMLElement | null>): Theme {
  const [theme, setTheme] = useState<Theme>('light')

  useLayoutEffect(() => {
    const prefersDark = matchMedia('(prefers-color-scheme: dark)')
    const read = (): void => setTheme(themeOf(element.current?.parentElement ?? null, prefersDark.matches))
    read()
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributes: true })
    observer.observe(document.body, { attributes: true })
    prefersDark.addEventListener('change', read)
    return () => {
      observer.disconnect()
      prefersDark.removeEventListener('change', read)
    }
  }, [element])

  return theme
}

function themeOf(around: Element | null, prefersDark: boolean): Theme {
  if (document.documentElement.classList.contains('dark')) return 'dark'
  for (let element = around; element; element = element.parentElement) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = numbersOf(getComputedStyle(element).backgroundColor)
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? 'dark' : 'light'
  }
  return prefersDark ? 'dark' : 'light'
}

/** The numbers of `rgb(…)` or `rgba(…)`. */
function numbersOf(color: string): readonly number[] {
  const parts = color.match(/[\d.]+/g)?.map(Number)
  // Any other form, such as `color(…)`, is not read.
  return color.startsWith('rgb') && parts ? parts : [0, 0, 0, 0]
}

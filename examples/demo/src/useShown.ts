import { useState } from 'react'

const PARAMETER = 'show'

/** The tab in the address (`?show=`), so that a link leads to it. An unknown one is the first of `ids`. */
export function useShown(ids: readonly string[]): readonly [shown: string, show: (id: string) => void] {
  const [chosen, setChosen] = useState(() => new URLSearchParams(location.search).get(PARAMETER) ?? '')
  function show(id: string): void {
    const url = new URL(location.href)
    url.searchParams.set(PARAMETER, id)
    // Not an entry of the history for each tab: "Back" leaves the page.
    history.replaceState(history.state, '', url)
    setChosen(id)
  }
  return [ids.includes(chosen) ? chosen : (ids[0] ?? ''), show]
}

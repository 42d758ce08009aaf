import { showStory, type ShownStory, type Story } from './Story'
import './stories.css'

const files = import.meta.glob<Record<string, Story>>('./*.stories.tsx')

/**
 * Shows stories of an item in the element, one at a time, and a list to choose from. `what` is the name of
 * the item, and the names of its stories in their order. Returns the function that removes all. This is no
 * component of React: a root cannot end while another one renders.
 */
export function mount(element: HTMLElement, what: string): () => void {
  const [item = '', ...names] = what.split(' ')
  let shown: ShownStory | undefined
  let left = false
  const select = document.createElement('select')
  const label = document.createElement('label')
  label.className = 'stagepass-stories'
  label.append('State ', select)
  const stage = document.createElement('div')

  function show(story: Story | undefined): void {
    shown?.leave()
    // The previous story must not find in this one what it waits for.
    const fresh = document.createElement('div')
    stage.replaceChildren(fresh)
    shown = story && showStory(story, fresh)
  }

  async function start(): Promise<void> {
    const all = (await files[`./${item}.stories.tsx`]?.()) ?? {}
    if (left) return
    const stories = names.flatMap((name) => all[name] ?? [])
    select.append(...stories.map(({ title }) => new Option(title)))
    select.addEventListener('change', () => show(stories[select.selectedIndex]))
    element.append(label, stage)
    show(stories[0])
  }

  void start()
  return () => {
    left = true
    shown?.leave()
    element.replaceChildren()
  }
}

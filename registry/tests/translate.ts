/**
 * Does to an element what Chromium's translation of a page does: each text, also one that comes later, is
 * replaced by an element with the translation. Returns a function that ends it.
 */
export function translate(element: HTMLElement): () => void {
  const replace = (root: Node): void => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts) {
      if (text.parentElement?.closest('font') || text.data.trim() === '') continue
      const outer = document.createElement('font')
      outer.append(Object.assign(document.createElement('font'), { textContent: text.data }))
      text.replaceWith(outer)
    }
  }
  replace(element)
  const observer = new MutationObserver(() => replace(element))
  observer.observe(element, { childList: true, subtree: true, characterData: true })
  return () => observer.disconnect()
}

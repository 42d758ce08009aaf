import { type ReactNode, useId } from 'react'
import { SCENES, type Stage } from './scenes.js'

/** What to try besides the tabs, with a sentence each. */
export function SceneList({ stage }: { readonly stage: Stage }): ReactNode {
  const id = useId()
  return (
    <section className="scenes" aria-labelledby={id}>
      <h2 id={id}>Also try</h2>
      <ul>
        {SCENES.map(({ id: scene, title, sentence, isOn, press }) => (
          <li key={scene} data-scene={scene}>
            <button
              className="button"
              aria-pressed={isOn?.(stage)}
              aria-describedby={`${id}${scene}`}
              onClick={() => press(stage)}
            >
              {title}
            </button>
            <p className="hint" id={`${id}${scene}`}>
              {sentence}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

import { type ReactNode, useState } from 'react'
import { idsOf, TabList } from '../../playground/src/ui/TabList.js'
import { Picture } from './picture/Picture.js'
import { usePageState } from './picture/usePageState.js'
import { SceneList } from './SceneList.js'
import type { Stage } from './scenes.js'
import { useShown } from './useShown.js'
import { USERS } from './users.js'
import { VIEWS } from './views.js'
import type { LineName, WireLog } from './wire/createWireLog.js'
import type { Gauges } from './wire/useDemoFeed.js'

interface WorkplaceProps extends Omit<Stage, 'show'> {
  readonly gauges: Gauges
  readonly log: WireLog
  readonly isFirstVisit: boolean
  readonly onLine: (line: LineName) => void
}

/** The picture of what happens, and the products and meetings that the user may use. */
export function Workplace(props: WorkplaceProps): ReactNode {
  const { user, gauges, log, isFirstVisit, onLine, ...stage } = props
  const { name, may, products } = USERS[user]
  const page = usePageState()
  const views = VIEWS.filter(({ product }) => product === undefined || products.includes(product))
  const [shown, show] = useShown(views.map(({ id }) => id))
  // What was shown once stays: a stream goes on behind another tab. What was not sends no request.
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  if (!seen.has(shown)) setSeen(new Set(seen).add(shown))
  const { upstream } = gauges
  const nameOf = (product = '', key = ''): string => `${product} ${key}`
  /** Streams that belong to one tab alone. */
  const named = views.flatMap(({ product, streamKey }) => (streamKey ? [nameOf(product, streamKey)] : []))
  const isLive = (product?: string, streamKey?: string): boolean =>
    [...page.streams].some((stream) =>
      streamKey
        ? stream === nameOf(product, streamKey)
        : stream.startsWith(nameOf(product)) && !named.includes(stream),
    )
  const tabs = views.map(({ id, title, product, streamKey }) => ({
    id,
    title,
    state: isLive(product, streamKey) && (
      <span className="live">
        <span className="unseen">, live</span>
      </span>
    ),
  }))

  return (
    <>
      {stage.isPhone && (
        <p className="row phone-note">
          As on a phone.
          <button className="button" onClick={() => stage.setPhone(false)}>
            Back to the whole width
          </button>
        </p>
      )}
      <header className="intro">
        <h1>Captions, speech and translation in a web page, with no key in it</h1>
        <p>
          The API key stays on your server. The page gets a token that lives for minutes, and talks to the
          service with it. Press a line to read what was sent.
          {products.length === 1 && (
            <span>{` ${name} may use: ${may}. Change to Ada, in the bar above, to try all.`}</span>
          )}
        </p>
      </header>
      <Picture user={user} log={log} gauges={gauges} page={page} onLine={onLine} />
      <div className="stage">
        <div className="views">
          <TabList label="What to try" tabs={tabs} chosen={shown} onChoose={show} />
          {views
            .filter(({ id }) => seen.has(id))
            .map(({ id, show: render }) => (
              <div
                key={id}
                role="tabpanel"
                id={idsOf(id).panel}
                aria-labelledby={idsOf(id).tab}
                hidden={id !== shown}
              >
                {render({ user, gauges, log, isFirstLook: isFirstVisit && upstream === 'emulator' })}
              </div>
            ))}
        </div>
        <SceneList stage={{ ...stage, user, show }} />
      </div>
    </>
  )
}

import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useTheme } from '../ui/useTheme.js'
import { Captions as CaptionsByHand } from './byHand/Captions.js'
import { Meetings as MeetingsByHand } from './byHand/Meetings.js'
import { createSide } from './createSide.js'
import { type Failure, FAILURES, type FailureName, type Stage, type Verdict } from './failures.js'
import { Captions } from './kit/Captions.js'
import { Meetings } from './kit/Meetings.js'
import type { Side, SignedIn, User } from './Side.js'

const SEARCHES = Array.from({ length: 28 }, (_, index) => String(index + 1))
const LOOK_MS = 100

/** One failure, and its effect on both sides. */
export function Comparison({ name }: { readonly name: FailureName }): ReactNode {
  const element = useRef<HTMLDivElement>(null)
  const theme = useTheme(element)
  const [run, setRun] = useState<Run>()
  const failure: Failure = FAILURES[name]

  return (
    <div className="stagepass-playground comparison" data-theme={theme} ref={element}>
      <button className="act" type="button" onClick={() => setRun(start(run))}>
        {failure.button}
      </button>
      {run && (
        <div className="halves">
          <Half
            key={`by hand ${run.count}`}
            title="By hand"
            code="byHand"
            side={run.byHand}
            failure={failure}
          />
          <Half key={`kit ${run.count}`} title="Stagepass" code="kit" side={run.kit} failure={failure} />
        </div>
      )}
    </div>
  )
}

interface Run {
  readonly count: number
  readonly byHand: Side
  readonly kit: Side
}

const start = (before: Run | undefined): Run => ({
  count: (before?.count ?? 0) + 1,
  byHand: createSide('byHand'),
  kit: createSide('kit'),
})

interface HalfProps {
  readonly title: string
  readonly code: 'byHand' | 'kit'
  readonly side: Side
  readonly failure: Failure
}

function Half({ title, side, code, failure }: HalfProps): ReactNode {
  const page = useRef<HTMLDivElement>(null)
  const [user, setUser] = useState<User>('ada')
  const [verdict, setVerdict] = useState<Verdict>()
  const [counts, setCounts] = useState(side.counts)
  const session = useRef(user)

  useEffect(() => () => side.close(), [side])

  useEffect(() => {
    const element = page.current
    if (!element) return undefined
    const looks = new Set<() => void>()
    const timer = setInterval(() => {
      for (const look of looks) look()
      setCounts({ ...side.counts })
    }, LOOK_MS)
    const until = (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo()) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
      })
    const change = (next: User): void => {
      session.current = next
      setUser(next)
    }
    const stage: Stage = { side, element, setUser: change, until }
    void failure
      .play(stage)
      .then(() => looks.add(() => setVerdict((before) => before ?? failure.judge(stage))))
    return () => clearInterval(timer)
  }, [side, failure])

  const Page = code === 'kit' ? KitPage : ByHandPage
  return (
    <section className="half" aria-label={`${title}: ${failure.button}`}>
      <h3>{title}</h3>
      <div className="page" ref={page}>
        <Page side={side} user={user} session={session} lists={failure.lists === true} />
      </div>
      <dl>
        {failure.shown(counts).map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
      <p className="verdict" role="status" data-good={verdict?.good}>
        {verdict && `${verdict.good ? '✓' : '✗'} ${verdict.text}`}
      </p>
    </section>
  )
}

interface PageProps {
  readonly side: Side
  readonly user: User
  readonly session: { readonly current: User }
  readonly lists: boolean
}

function ByHandPage({ side, user, session, lists }: PageProps): ReactNode {
  const [[{ browser }, bens]] = useState(() => signInBoth(side, session))
  if (lists)
    return (
      <Lists
        adas={SEARCHES.map((search) => (
          <li key={search}>
            <MeetingsByHand {...browser} search={search} />
          </li>
        ))}
        bens={<MeetingsByHand {...bens.browser} search="" />}
      />
    )
  return (
    <>
      <p>Signed in: {user}</p>
      <CaptionsByHand {...browser} />
    </>
  )
}

function KitPage({ side, user, session, lists }: PageProps): ReactNode {
  const [[adas, bens]] = useState(() => signInBoth(side, session))
  if (lists)
    return (
      <Lists
        adas={
          <Kit {...adas} user="ada">
            {SEARCHES.map((search) => (
              <li key={search}>
                <Meetings search={search} />
              </li>
            ))}
          </Kit>
        }
        bens={
          <Kit {...bens} user="ben">
            <Meetings search="" />
          </Kit>
        }
      />
    )
  return (
    <>
      <p>Signed in: {user}</p>
      <Kit {...adas} user={user}>
        <Captions {...adas.browser} />
      </Kit>
    </>
  )
}

const signInBoth = (side: Side, session: { readonly current: User }): readonly [SignedIn, SignedIn] => [
  side.signIn(() => session.current),
  side.signIn(() => 'ben'),
]

function Kit({
  clientOptions,
  user,
  children,
}: SignedIn & { readonly user: User; readonly children: ReactNode }): ReactNode {
  const [[voice, queries]] = useState(() => [createVoiceClient(clientOptions), new QueryClient()] as const)
  return (
    <QueryClientProvider client={queries}>
      <VoiceProvider client={voice} user={user}>
        {children}
      </VoiceProvider>
    </QueryClientProvider>
  )
}

function Lists({ adas, bens }: { readonly adas: ReactNode; readonly bens: ReactNode }): ReactNode {
  return (
    <>
      <p>Ada:</p>
      <ul className="adas">{adas}</ul>
      <p className="bens">Ben: {bens}</p>
    </>
  )
}

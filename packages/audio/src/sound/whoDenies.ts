/**
 * Not in TypeScript's types. Chromium has `featurePolicy`; `permissionsPolicy` is its name in the
 * specification.
 */
interface WithPolicy {
  readonly permissionsPolicy?: Policy
  readonly featurePolicy?: Policy
}

interface Policy {
  allowsFeature(feature: string): boolean
}

/** Why a page may not use a feature, whatever its user allows. */
export interface Denial {
  /** `'frame'`: the page around this one. `'header'`: a `Permissions-Policy` header of the site. */
  readonly by: 'frame' | 'header'
  /** For the person at the screen. */
  readonly text: string
  /** For the developer, only in development builds. */
  readonly hint: string | undefined
}

/**
 * Says what denies a feature to the page, or `undefined` if only the user or the browser can have denied it.
 * Call it after a `NotAllowedError`.
 */
export function whoDenies(feature: 'microphone'): Denial | undefined {
  const { permissionsPolicy, featurePolicy } = document as WithPolicy
  const policy = permissionsPolicy ?? featurePolicy
  if (policy?.allowsFeature(feature)) return undefined
  const isEmbedded = hasForeignAncestor()
  if (!policy && !isEmbedded) return undefined
  const by = isEmbedded ? 'frame' : 'header'
  // Firefox and Safari do not say it: then the user may have refused.
  const isCertain = policy !== undefined
  const hint = process.env.NODE_ENV === 'production' ? undefined : deniedHint(by, isCertain)
  return { by, text: deniedText(by, isCertain), hint }
}

/** Nothing can be allowed in the address bar. */
function deniedText(by: Denial['by'], isCertain: boolean): string {
  if (!isCertain) return 'it is not allowed. Perhaps the page around this one does not allow it.'
  return by === 'frame'
    ? 'it cannot be allowed here, because the page around this one does not allow it.'
    : 'it cannot be allowed here, because this site does not allow it.'
}

function deniedHint(by: Denial['by'], isCertain: boolean): string {
  if (by === 'header') {
    return 'A Permissions-Policy header of this page, or of a page around it, turns the microphone off. Send microphone=(self).'
  }
  const write = `Write <iframe allow="microphone"> in the page around this one (${aroundOf() ?? 'another origin'})`
  return isCertain
    ? `${write}, and in each page between them. If it is written, a Permissions-Policy header turns the microphone off.`
    : `If the browser did not ask the user: w${write.slice(1)}.`
}

/** A frame of the same origin needs no attribute. */
function hasForeignAncestor(): boolean {
  try {
    for (let page: Window = window; page !== page.parent; page = page.parent) {
      if (page.parent.location.origin !== location.origin) return true
    }
    return false
  } catch {
    // Pages of other origins do not tell their address.
    return true
  }
}

function aroundOf(): string | undefined {
  // Not in every browser.
  const [around] = (location as Partial<Location>).ancestorOrigins ?? []
  if (around !== undefined) return around
  return URL.canParse(document.referrer) ? new URL(document.referrer).origin : undefined
}

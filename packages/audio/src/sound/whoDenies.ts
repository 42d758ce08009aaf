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
  /** False in Firefox and Safari, which do not say it: then the user may have refused. */
  readonly isCertain: boolean
  /** Origin of the page around this one, if the browser tells it. */
  readonly around: string | undefined
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
  return { by: isEmbedded ? 'frame' : 'header', isCertain: policy !== undefined, around: aroundOf() }
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

import { useEffect, useLayoutEffect } from 'react'

/** `useLayoutEffect`. React 18 warns about layout effects on a server. */
export const useCommitEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect

import type { Browser } from 'playwright'
import { chromium } from 'playwright'
import { inject } from 'vitest'

/** The browser that all files share. Closing it closes what the caller has opened in it. */
export const openBrowser = (): Promise<Browser> => chromium.connect(inject('demo').browser)

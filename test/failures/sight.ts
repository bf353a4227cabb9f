import type { OpenPage } from '../browser/chromium.ts'
import type { Position } from './positions.ts'

/** What can be seen of a page. */
export interface Sight {
  /** Lines of each alert, as they can be read. */
  alerts: string[][]
  heading: string
  /** Everything that can be read in the page's own place. */
  text: string
  hasHeader: boolean
  hasNavigation: boolean
  isKeptFromSearch: boolean
  isLeaking: boolean
  /** What the counter says after one click. */
  counted: string | null
  errors: string[]
}

/** Looks at a page and, where there is a counter and JavaScript, counts. */
export async function look(open: OpenPage, { hasCounter }: Position): Promise<Sight> {
  const counted = hasCounter ? await count(open) : null
  const seen = await open.evaluate(() => {
    const visible = [...document.querySelectorAll<HTMLElement>('[role=alert]')].filter(
      (alert) => alert.offsetHeight > 0,
    )
    const lines = (element: HTMLElement) =>
      element.innerText
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    const shows = (selector: string) => (document.querySelector<HTMLElement>(selector)?.offsetHeight ?? 0) > 0
    return {
      alerts: visible.map(lines),
      hasHeader: shows('header.site-header'),
      hasNavigation: shows('nav[aria-label="Site"]'),
      isKeptFromSearch: document.querySelector('meta[name=robots][content=noindex]') !== null,
      isLeaking: document.documentElement.outerHTML.includes('SECRET-MARKER'),
    }
  }, null)
  return { ...seen, heading: await open.read('h1'), text: await open.read('main'), counted, errors: [...open.errors] }
}

async function count({ page, read }: OpenPage): Promise<string> {
  await page.locator('#counter').click()
  return read('#counter')
}

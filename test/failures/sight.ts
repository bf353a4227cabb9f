import type { OpenPage } from '../browser/chromium.ts'
import type { Position } from './positions.ts'

/** The visible state of a page. */
export interface Sight {
  /** The visible lines of each alert. */
  alerts: string[][]
  heading: string
  /** The visible text in the page's own place. */
  text: string
  hasHeader: boolean
  hasNavigation: boolean
  isKeptFromSearch: boolean
  isLeaking: boolean
  /** The counter's text after one click. */
  counted: string | null
  errors: string[]
}

/** Reads the visible state of a page. Clicks the counter if there is one and JavaScript is on. */
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

async function count({ click, read }: OpenPage): Promise<string> {
  await click('#counter')
  return read('#counter')
}

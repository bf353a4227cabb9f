// Sites whose forms are handled in place, and which list what their actions have done.

import type { Test } from 'tap'
import { buildApp } from '../build-app.ts'
import { type SiteServer, startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { type Chromium, launchChromium, type OpenPage, type Owner, type PageOptions } from './chromium.ts'

export interface Done {
  path: string
  method?: string
  entries?: [string, string][]
  type?: string
  body?: string
}

export interface InPlace {
  site: SiteServer
  dir: string
  origin: string
  /** Opens a page for a test and marks its document. The mark is lost with the document. */
  open(t: Owner, path: string, prepare?: (open: OpenPage) => Promise<unknown>): Promise<OpenPage>
  /** Opens a page in an open tab and marks its document. */
  reopen(open: OpenPage, path: string): Promise<void>
  /** Opens a tab without JavaScript. */
  openPlain(t: Owner): Promise<OpenPage>
  /** Returns what the actions have done since the last call. */
  done(): Promise<Done[]>
  /** Releases the action when it waits. */
  letGo(): Promise<unknown>
  /** Opens that gate when a load waits at it. */
  openGate(name: string): Promise<unknown>
  /** Sets how the load of `/list` ends, and whether its reviews wait at the gate `reviews`. */
  set(values: { load?: 'redirect' | 'failure' | 'refusal' | 'data'; reviews?: 'slow' | 'fast' }): Promise<unknown>
}

/**
 * Builds and starts the site `forms`, or starts another one that is built.
 *
 * @param env Environment variables with its options.
 */
export async function startInPlace(t: Test, env: Record<string, string> = {}, other?: string): Promise<InPlace> {
  const dir = other ?? (await buildApp(t, 'forms'))
  const site = await startSite(t, { dir, env: { HYDRANT_TIMEOUTS_LOAD_MS: '10000', ...env } })
  // Firefox has pages of this site without Chromium.
  let launched: Promise<Chromium> | undefined
  const openPage = async (options: PageOptions, owner: Owner) => {
    launched ??= launchChromium(t)
    return (await launched).open(options, owner)
  }
  const origin = `http://127.0.0.1:${site.port}`
  let seen = 0
  async function reopen(open: OpenPage, path: string) {
    await open.goto(origin + path, 'load')
    await open.hydrated()
    await open.evaluate(() => {
      document.documentElement.dataset.mark = 'here'
    }, null)
  }
  return {
    site,
    dir,
    origin,
    async open(t, path, prepare) {
      const open = await openPage({}, t)
      await prepare?.(open)
      await reopen(open, path)
      return open
    },
    reopen,
    openPlain: (t) => openPage({ javaScript: false }, t),
    async done() {
      // The cast is safe because the site responds with its list.
      const all = (await fetch(`${origin}/done`).then((answer) => answer.json())) as Done[]
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
    letGo: () => until(async () => (await fetch(`${origin}/open`)).json()),
    openGate: (name) => until(async () => (await fetch(`${origin}/gates/${name}`)).json()),
    set: (values) => fetch(`${origin}/set?${new URLSearchParams(values)}`),
  }
}

/** Whether the document is still the one that was opened. */
export function isInPlace({ evaluate }: OpenPage): Promise<boolean> {
  return evaluate(() => document.documentElement.dataset.mark === 'here', null)
}

export function textOf({ evaluate }: OpenPage, selector: string): Promise<string | null> {
  return evaluate((selector) => document.querySelector(selector)?.textContent ?? null, selector)
}

/** Returns the ids of what sends the forms of a page, whose ids are the kinds of its forms. */
export function kindsOf({ evaluate }: Pick<OpenPage, 'evaluate'>): Promise<string[]> {
  return evaluate(() => [...document.querySelectorAll(':is(button, b, [type=image])[id]')].map(({ id }) => id), null)
}

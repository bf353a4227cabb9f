/// <reference lib="dom" />

// A site under `hydrant dev` with an open page, for tests of edits.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { copyApp } from '../../build-app.ts'
import { createSite } from '../../scripts/create-site.ts'
import { type RunningCli, startCli } from '../../scripts/run-cli.ts'
import { PATIENCE_MS, until } from '../../until.ts'
import { type Chromium, launchChromium, type OpenPage } from '../chromium.ts'

/** The state of a page that an update keeps and a reload loses. */
export interface PageState {
  /** The number of clicks on `#count`. */
  count: string
  /** The text in the input `#typed`. */
  typed: string
  /** The id of the element that has the focus. */
  focused: string
  scrollY: number
  /** Whether the document is the one that the state was given to. */
  isSameDocument: boolean
}

export interface DevPage extends OpenPage {
  /** Messages of the console, errors and failed requests since the page was opened. */
  messages: string[]
  /** Resolves when a function of the page returns true. The page may go to other documents meanwhile. */
  becomes<Argument>(check: (argument: Argument) => boolean, argument: Argument): Promise<void>
  /** Resolves when the text of the first element that matches the selector is the given one. */
  says(selector: string, text: string): Promise<void>
  /** Clicks an element without a change of the focus and the scrolling. */
  press(selector: string): Promise<void>
  /** Gives the page state: clicks, text in a field, focus and scrolling. Returns it. */
  use(): Promise<PageState>
  state(): Promise<PageState>
}

export interface DevSite {
  dir: string
  /** The address of `/`. */
  url: string
  dev: RunningCli
  chromium: Chromium
  write(path: string, contents: string | Uint8Array): void
  /** Replaces text in a file. */
  edit(path: string, from: string, to: string): void
  remove(path: string): void
  /** Starts the command again, on a port. */
  restart(port: string): Promise<void>
  /** Returns the tab that the tests of the site use one after the other. */
  tab(): Promise<DevPage>
  /** Opens a page in that tab, and resolves when it is interactive. */
  open(path: string): Promise<DevPage>
  /** Opens a page in a new tab. */
  openBeside(path: string): Promise<DevPage>
}

/** Checks that an edit leads to a text in a page, and that the page keeps its state. */
export async function keepsState(t: Test, page: DevPage, edit: () => void, selector: string, text: string) {
  const before = await page.use()
  edit()
  await page.says(selector, text)
  t.strictSame(await page.state(), before, `${selector} says ${text}`)
}

export interface DevSiteOptions {
  args?: readonly string[]
  env?: Record<string, string>
  /** Completes the folder of the site before the command starts. */
  prepare?(dir: string): void
}

/** A layout and a part with state. Both are plain, so a test can replace texts in them. */
export const LAYOUT = readFileSync('test/apps/dev/pages/layout.tsx', 'utf8')
export const STATE = readFileSync('test/apps/dev/parts/state.tsx', 'utf8')

/** Starts `hydrant dev` with a site in `test/apps/`, or with files, a root layout and `parts/state.tsx`. */
export async function startDevSite(
  t: Pick<Test, 'testdir' | 'testdirName' | 'teardown'>,
  site: string | Record<string, string | Buffer>,
  { args = [], env = {}, prepare = () => {} }: DevSiteOptions = {},
): Promise<DevSite> {
  const dir =
    typeof site === 'string'
      ? copyApp(t, site)
      : createSite(t, { 'pages/layout.tsx': LAYOUT, 'parts/state.tsx': STATE, ...site })
  prepare(dir)
  const start = (port: string) => startCli(t, ['dev', dir, '--port', port, '--host', '127.0.0.1', ...args], { env })
  const dev = start('0')
  const [started, chromium] = await Promise.all([dev.waitFor(/ at (http:\S+)/), launchChromium(t)])
  const url = new URL('/', started[1]).href

  let shared: DevPage | null = null
  async function tab(): Promise<DevPage> {
    if (shared && shared.page.url() !== 'about:blank') {
      // The overlay remembers what was closed in a tab.
      await shared.becomes(() => sessionStorage.clear() === undefined, null)
      // The page before may be applying the first edits of this test.
      await shared.page.goto('about:blank')
    }
    shared ??= control(await chromium.open())
    shared.messages.length = 0
    return shared
  }

  async function show(page: DevPage, path: string): Promise<DevPage> {
    await page.goto(new URL(path, url).href, 'load')
    await page.hydrated()
    return page
  }

  function write(path: string, contents: string | Uint8Array) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
  }

  return {
    ...{ dir, url, dev, chromium, write },
    edit(path, from, to) {
      const text = readFileSync(join(dir, path), 'utf8')
      if (!text.includes(from)) throw new Error(`${path} does not contain ${from}:\n${text}`)
      write(path, text.replace(from, to))
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    async restart(port) {
      await start(port).waitFor(/ at http:/)
    },
    tab,
    open: async (path) => show(await tab(), path),
    openBeside: async (path) => show(control(await chromium.open()), path),
  }
}

function control(open: OpenPage): DevPage {
  const messages: string[] = []
  open.page.on('console', (message) => isNotice(message.text()) || messages.push(message.text()))
  open.page.on('pageerror', (error) => messages.push(String(error)))
  open.page.on('requestfailed', (request) => {
    // A page that is left closes its channel. Chromium often calls a response without a cache aborted whose stream was
    // read to its end.
    const isExpected = request.resourceType() === 'eventsource' || request.url().endsWith('_hydrant')
    if (!isExpected) messages.push(`${request.url()} ${request.failure()?.errorText}`)
  })
  const state = () => open.evaluate(readState, null)
  async function becomes<Argument>(check: (argument: Argument) => boolean, argument: Argument) {
    const endsAt = Date.now() + PATIENCE_MS
    await until(async () => {
      // A call fails while the page goes to another document.
      const answer = await open.evaluate(check, argument).catch((error: Error) => error)
      if (answer === true || Date.now() < endsAt) return answer === true
      const document = await open.page.content().catch(String)
      throw new Error(`${answer}: not ${check} with ${JSON.stringify(argument)}: ${document}`)
    })
  }
  return {
    ...open,
    messages,
    state,
    becomes,
    says: (selector, text) => becomes(hasText, { selector, text }),
    press: (selector) => open.evaluate(pressElement, selector),
    async use() {
      await open.evaluate(giveState, null)
      return state()
    },
  }
}

/** Whether React's own notice about its developer tools is the message. */
const isNotice = (text: string) => text.includes('Download the React DevTools')

// These functions run in the page.

function readState(): PageState {
  return {
    count: document.querySelector('#count')?.textContent ?? '',
    typed: document.querySelector<HTMLInputElement>('#typed')?.value ?? '',
    focused: document.activeElement?.id ?? '',
    scrollY,
    isSameDocument: 'isUsed' in self,
  }
}

async function giveState(): Promise<void> {
  Object.assign(self, { isUsed: true })
  const button = document.querySelector<HTMLElement>('#count')
  const before = Number(button?.textContent)
  button?.click()
  const input = document.querySelector<HTMLInputElement>('#typed')
  if (input) input.value = 'typed'
  input?.focus()
  scrollTo(0, 120)
  while (button && Number(button.textContent) === before) await new Promise(requestAnimationFrame)
}

function pressElement(selector: string): void {
  const element = document.querySelector<HTMLElement>(selector)
  if (!element) throw new Error(`no ${selector}`)
  element.click()
}

function hasText({ selector, text }: { selector: string; text: string }): boolean {
  return document.querySelector<HTMLElement>(selector)?.innerText === text
}
